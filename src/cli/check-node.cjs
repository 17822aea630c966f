"use strict";
// Loaded before the TypeScript of the command line (package.json, scripts), so it must be readable for every Node.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `Pulse Audit needs Node 22.18 or newer; this is Node ${process.versions.node}.\n` +
      "The project brings its own: run `npm ci` (without --ignore-scripts or --omit=dev), then call it through npm, for example\n" +
      "  npm run audit -- https://example.com",
  );
  process.exit(2);
}
