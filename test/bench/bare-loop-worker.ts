/**
 * The least that a crawl can cost in this runtime: fetches known addresses, six at once, and throws the bodies away. No
 * parsing, no database, no Workflow.
 */
export interface BareLoopRequest {
  addresses: string[];
  atOnce: number;
}

export interface BareLoopAnswer {
  pages: number;
  bytes: number;
}

export default {
  async fetch(request: Request): Promise<Response> {
    const { addresses, atOnce }: BareLoopRequest = await request.json();
    const waiting = addresses.values();
    const answer: BareLoopAnswer = { pages: 0, bytes: 0 };
    const lane = async (): Promise<void> => {
      for (const address of waiting) {
        const response = await fetch(address, { redirect: "manual" });
        const body = await response.arrayBuffer();
        if (response.status === 200) answer.pages += 1;
        answer.bytes += body.byteLength;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    return Response.json(answer);
  },
};
