/** SARIF 2.1.0 (OASIS), for code hosts that show findings beside a change. */
import type { IssueResponse } from "../api/schemas.ts";
import { inPieces, type ReportSource } from "./report-source.ts";

const LEVEL = { error: "error", warning: "warning", notice: "note" } as const;

function ruleOf(id: string, { severity, title, why, fix, source }: ReportSource["checks"][string]) {
  return {
    id,
    shortDescription: { text: title },
    fullDescription: { text: why },
    help: { text: fix },
    ...(source === null ? {} : { helpUri: source }),
    defaultConfiguration: { level: LEVEL[severity] },
  };
}

const resultOf = (issue: IssueResponse) => ({
  ruleId: issue.check,
  level: LEVEL[issue.severity],
  message: { text: issue.evidence.message },
  locations: [{ physicalLocation: { artifactLocation: { uri: issue.url } } }],
  // The same finding on the same address is the same alert in the next audit.
  partialFingerprints: { "checkAndUrl/v1": `${issue.check} ${issue.url}` },
  properties: { linkedFrom: issue.sources.count },
});

async function* sarif({ audit, checks, issues }: ReportSource): AsyncGenerator<string> {
  const rules = Object.entries(checks).map(([id, words]) => ruleOf(id, words));
  const driver = { name: "Pulse Audit", semanticVersion: "1.0.0", rules };
  yield `{"version":"2.1.0","$schema":"https://json.schemastore.org/sarif-2.1.0.json","runs":[{"tool":{"driver":${JSON.stringify(driver)}},`;
  yield `"automationDetails":{"id":${JSON.stringify(`pulse-audit/${audit.siteOrigin ?? audit.url}/`)}},"results":[`;
  let separator = "";
  for await (const issue of issues()) {
    yield separator + JSON.stringify(resultOf(issue));
    separator = ",\n";
  }
  yield "]}]}\n";
}

export const sarifReport = (source: ReportSource): AsyncIterable<string> => inPieces(sarif(source));
