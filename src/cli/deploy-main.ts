/** `npm run deploy` */
import { guarded } from "./cli.ts";
import { deploy, realTools } from "./deploy.ts";
import { runAsCommand } from "./process-io.ts";

await runAsCommand((io) => guarded(io, () => deploy(process.argv.slice(2), io, realTools)));
