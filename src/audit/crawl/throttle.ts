/**
 * Politeness towards one site: how many requests may wait for their headers, how far apart they start, and pauses that
 * the site asked for. Halves on trouble, grows again while all is well.
 */
export interface ThrottleOptions {
  /** Requests waiting for response headers at once; the platform lets six through. */
  max: number;
  /** Between the starts of two requests: robots.txt's crawl-delay or the audit's own. Milliseconds. */
  delayMs: number;
  now: () => number;
  sleep: (ms: number) => Promise<void>;
}

export class Throttle {
  readonly #options: ThrottleOptions;
  #limit: number;
  #waitingForHeaders = 0;
  #delayMs: number;
  #nextStartAt = 0;
  #pausedUntil = 0;
  readonly #queue: (() => void)[] = [];

  constructor(options: ThrottleOptions) {
    this.#options = options;
    this.#limit = options.max;
    this.#delayMs = options.delayMs;
  }

  /** Requests that may wait for headers right now. */
  get limit(): number {
    return Math.max(1, Math.floor(this.#limit));
  }

  /** Runs `request` up to its response headers in one of the slots. */
  async run<T>(request: () => Promise<T>): Promise<T> {
    await this.#acquire();
    try {
      return await request();
    } finally {
      this.#waitingForHeaders -= 1;
      this.#wake();
    }
  }

  /** From now on, requests start at least so far apart. Milliseconds. */
  slowDown(delayMs: number): void {
    this.#delayMs = Math.max(this.#delayMs, delayMs);
  }

  clean(): void {
    this.#limit = Math.min(this.#options.max, this.#limit + 1 / Math.max(1, this.#limit * 4));
    this.#wake();
  }

  trouble(pauseMs: number): void {
    this.#limit = Math.max(1, this.#limit / 2);
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#options.now() + pauseMs);
  }

  async #acquire(): Promise<void> {
    if (this.#waitingForHeaders >= this.limit) {
      await new Promise<void>((resolve) => this.#queue.push(resolve));
    } else {
      this.#waitingForHeaders += 1;
    }
    for (;;) {
      const now = this.#options.now();
      const wait = Math.max(this.#pausedUntil, this.#nextStartAt) - now;
      if (wait <= 0) break;
      await this.#options.sleep(wait);
    }
    this.#nextStartAt = this.#options.now() + this.#delayMs;
  }

  #wake(): void {
    while (this.#queue.length > 0 && this.#waitingForHeaders < this.limit) {
      this.#waitingForHeaders += 1;
      this.#queue.shift()?.();
    }
  }
}
