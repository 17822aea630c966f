import type { SoftNotFoundProbe } from "../checks/check.ts";
import { HtmlBody } from "./html-body.ts";
import { discard, readBody, request, type RequestRules } from "./request.ts";

/** Asks the site for an address that cannot exist, to know what its "not found" looks like. */
export async function probeNotFound(
  siteOrigin: string,
  rules: RequestRules & { maxHtmlBytes: number },
): Promise<SoftNotFoundProbe> {
  const random = [...crypto.getRandomValues(new Uint8Array(8))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
  const url = `${siteOrigin}/${random}`;
  const answer = await request(url, rules);
  const probe: SoftNotFoundProbe = {
    url,
    status: answer.status,
    finalUrl: answer.finalUrl,
    finalStatus: answer.response?.status ?? null,
    minhash: null,
    textKey: null,
  };
  const { response } = answer;
  const body = new HtmlBody({
    url: answer.finalUrl,
    maxBytes: rules.maxHtmlBytes,
    contentType: response?.headers.get("content-type") ?? null,
  });
  if (response?.status !== 200 || body.isHtml === false) {
    discard(answer);
    return probe;
  }
  await readBody(response, { maxBytes: rules.maxHtmlBytes, timeoutMs: rules.bodyTimeoutMs }, (chunk) =>
    body.take(chunk),
  );
  const html = body.end();
  return { ...probe, minhash: html?.minhash ?? null, textKey: html?.textKey ?? null };
}
