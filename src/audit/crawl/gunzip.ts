/** Undoes gzip where the bytes say so: servers label such files in every way, or not at all. */

/** What an endless source of bytes is: a response's body, or anything that yields pieces. */
export type ByteSource = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

export class GzipError extends Error {
  override readonly name = "GzipError";
}

async function* pieces(source: ByteSource): AsyncGenerator<Uint8Array> {
  yield* source;
}

async function* decompress(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new DecompressionStream("gzip");
  const writer = writable.getWriter();
  let sourceFailure: { error: unknown } | null = null;
  const feed = async (): Promise<void> => {
    let piece: IteratorResult<Uint8Array> = { value: first, done: false };
    while (piece.done !== true) {
      await writer.write(piece.value);
      try {
        piece = await rest.next();
      } catch (error) {
        sourceFailure = { error };
        throw error;
      }
    }
    await writer.close();
  };
  // Its failure shows in the reading half as well, which is the one that is awaited.
  const feeding = feed().catch((error: unknown) => writer.abort(error).catch(() => {}));
  const reader = readable.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      yield value;
    }
  } catch (error) {
    const failure: { error: unknown } | null = sourceFailure;
    if (failure !== null) throw failure;
    throw new GzipError("the gzip data is damaged", { cause: error });
  } finally {
    await reader.cancel().catch(() => {});
    await feeding;
  }
}

/**
 * The bytes of a source, decompressed if they begin like gzip (1F 8B). Throws GzipError for damaged data, and what the
 * source throws. Reading may stop at any time: nothing is decompressed ahead.
 */
export async function* gunzipIfNeeded(source: ByteSource): AsyncGenerator<Uint8Array> {
  const rest = pieces(source);
  let start = new Uint8Array(0);
  try {
    while (start.length < 2) {
      const { value, done } = await rest.next();
      if (done === true) break;
      const joined = new Uint8Array(start.length + value.length);
      joined.set(start);
      joined.set(value, start.length);
      start = joined;
    }
    if (start[0] === 0x1f && start[1] === 0x8b) {
      yield* decompress(start, rest);
    } else {
      if (start.length > 0) yield start;
      yield* rest;
    }
  } finally {
    await rest.return(undefined);
  }
}
