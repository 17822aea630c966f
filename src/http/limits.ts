/** What a request may weigh, besides its body. The platform's own limits are larger. */
import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./context.ts";
import { Problem } from "./problems.ts";

/** Characters. */
const MAX_ADDRESS = 8_192;
const MAX_HEADERS = 32_768;

export const limitSize: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (c.req.url.length > MAX_ADDRESS) {
    throw new Problem(414, "address_too_long", "The address is too long.", `Use at most ${MAX_ADDRESS} characters.`);
  }
  let size = 0;
  for (const [name, value] of c.req.raw.headers) size += name.length + value.length + 4;
  if (size > MAX_HEADERS) {
    throw new Problem(
      431,
      "headers_too_large",
      "The headers are too large.",
      `Send at most ${MAX_HEADERS} characters.`,
    );
  }
  await next();
};
