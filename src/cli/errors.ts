/** The code that Node gives its errors ("ENOENT", "ERR_PARSE_ARGS_..."); an empty text where there is none. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : "";
  return typeof code === "string" ? code : "";
}
