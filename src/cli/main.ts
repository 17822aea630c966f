/** `npm run audit` */
import { runCli } from "./cli.ts";
import { runAsCommand } from "./process-io.ts";

await runAsCommand((io) => runCli(process.argv.slice(2), io));
