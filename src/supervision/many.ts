/** Doing something for many audits, so that no single one of them can stop or hold up the others. */

/** The longest run of failures that may still be the fault of single items. */
const IN_A_ROW = 3;

/**
 * Hands all items to `work` at once; if that fails, each by itself, so that one broken item costs only itself. Throws
 * when nothing at all can be done, as with a database that is down. Returns what `work` returned, for those it was done.
 */
export async function allOrEach<T, R>(
  items: readonly T[],
  work: (items: readonly T[]) => Promise<R>,
  tell: (item: T, error: unknown) => void,
): Promise<R[]> {
  if (items.length === 0) return [];
  try {
    return [await work(items)];
  } catch (error) {
    if (items.length === 1) throw error;
    const results: R[] = [];
    let failing = 0;
    for (const item of items) {
      try {
        results.push(await work([item]));
        failing = 0;
      } catch (itsError) {
        tell(item, itsError);
        failing += 1;
        if (failing >= IN_A_ROW && results.length === 0) throw error;
      }
    }
    if (results.length === 0) throw error;
    return results;
  }
}

/**
 * Runs `work` for the items in order, some at once, and begins no more of them after `until` (milliseconds; one is
 * always begun). Returns how many were begun; all of those are over.
 */
export async function someAtOnce<T>(
  items: readonly T[],
  { atOnce, until }: { atOnce: number; until: number },
  work: (item: T) => Promise<void>,
): Promise<number> {
  let begun = 0;
  const worker = async (): Promise<void> => {
    while (begun < items.length && (begun === 0 || Date.now() < until)) {
      const item = items[begun] as T;
      begun += 1;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return begun;
}
