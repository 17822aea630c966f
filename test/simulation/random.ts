/** Seeded randomness: the same seed gives the same run, everywhere. */
export class Random {
  #state: number;

  constructor(...seeds: (number | string)[]) {
    this.#state = 0x9e3779b9;
    for (const character of seeds.join("/")) {
      this.#state = Math.imul(this.#state ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
    }
  }

  /** At least 0, below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.int(0, items.length - 1)];
    if (item === undefined) throw new RangeError("nothing to pick from");
    return item;
  }

  /** Picks by weight. */
  weighted<T>(items: readonly (readonly [weight: number, item: T])[]): T {
    let left = this.next() * items.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of items) {
      left -= weight;
      if (left < 0) return item;
    }
    throw new RangeError("nothing to pick from");
  }
}
