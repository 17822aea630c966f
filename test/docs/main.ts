/** `npm run docs`: writes the pages of docs/ that are made from code. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checksPage } from "./checks-page.ts";
import { errorsPage } from "./errors-page.ts";

const pages = { "checks.md": checksPage(), "errors.md": errorsPage() };

for (const [name, text] of Object.entries(pages)) {
  await writeFile(join(import.meta.dirname, "../../docs", name), text);
}
