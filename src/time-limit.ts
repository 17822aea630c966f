export class TimeLimitError extends Error {
  override name = "TimeLimitError";
}

/** The promise's outcome, or TimeLimitError after `ms` milliseconds. The work itself cannot be stopped, only left behind. */
export async function withTimeout<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeLimitError(`${what} within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
