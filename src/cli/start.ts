/** `npm start`: the whole product on this machine until Ctrl-C. */
import { serve } from "./serve.ts";
import { runAsCommand } from "./process-io.ts";
import { guarded } from "./cli.ts";

await runAsCommand((io) => guarded(io, () => serve(process.argv.slice(2), io)));
