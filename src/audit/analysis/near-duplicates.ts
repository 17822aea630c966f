/**
 * Near duplicates: clusters of pages whose main texts are estimated to share at least nine of ten word groups, found
 * with locality-sensitive hashing in memory. Every member is near to the page that leads the cluster, so that a chain
 * of small differences never joins two pages that differ much. Pages with equal text count as one: they are another
 * finding (content.duplicate).
 */
import { MINHASH_CHARS, MINHASH_VALUES } from "../crawl/minhash.ts";
import { type FoundIssue, MEMBERS_NAMED } from "./found-issue.ts";

/** The catalogue's content.near-dup: estimated Jaccard similarity. */
export const NEAR_DUPLICATE_FROM = 0.9;

/** 16 bands of 8 values: a pair at 0.9 shares a band with a probability of 0.9999. */
const BANDS = 16;
const ROWS = MINHASH_VALUES / BANDS;
/** Leaders that one page is compared with: bounds the time on a site of thousands of pages that are fairly alike. */
const COMPARED_AT_MOST = 300;

export interface SignedText {
  urlId: number;
  /** Base64 of crawl/minhash.ts. */
  minhash: string;
  /** Hash of the whole main text. */
  textKey: string | null;
}

export interface NearDuplicates {
  /** The page with the lowest id; the others are near to it. */
  leader: number;
  members: number[];
  /** The similarity of the member that is least like the leader. */
  least: number;
}

type Signature = Int32Array;

/** Each value as one number; only equality matters. Null for a text of the wrong length. */
function decode(minhash: string): Signature | null {
  if (minhash.length !== MINHASH_VALUES * MINHASH_CHARS) return null;
  const values = new Int32Array(MINHASH_VALUES);
  for (let value = 0, at = 0; value < MINHASH_VALUES; value++, at += MINHASH_CHARS) {
    values[value] =
      (minhash.charCodeAt(at) << 24) |
      (minhash.charCodeAt(at + 1) << 16) |
      (minhash.charCodeAt(at + 2) << 8) |
      minhash.charCodeAt(at + 3);
  }
  return values;
}

/** The share of equal values, or 0 as soon as it cannot reach `least` any more. */
function similarity(one: Signature, other: Signature, least: number): number {
  const allowed = Math.floor(MINHASH_VALUES * (1 - least) + 1e-9);
  let different = 0;
  for (let at = 0; at < MINHASH_VALUES; at++) {
    if (one[at] !== other[at] && ++different > allowed) return 0;
  }
  return 1 - different / MINHASH_VALUES;
}

/** Similarity of two signatures as stored, 0 below `least`. */
export function textSimilarity(one: string, other: string, least: number): number {
  const [a, b] = [decode(one), decode(other)];
  return a === null || b === null ? 0 : similarity(a, b, least);
}

function bandOf(signature: Signature, band: number): string {
  return String.fromCharCode(
    ...Array.from({ length: ROWS * 2 }, (_, half) => {
      const value = signature[band * ROWS + (half >> 1)]!;
      return half % 2 === 0 ? value & 0xffff : value >>> 16;
    }),
  );
}

/** Clusters among the texts, which must come in order of their ids. */
export function nearDuplicates(texts: Iterable<SignedText>): NearDuplicates[] {
  const bands = Array.from({ length: BANDS }, () => new Map<string, Leader[]>());
  const textsSeen = new Set<string>();
  const clusters: Leader[] = [];
  for (const { urlId, minhash, textKey } of texts) {
    if (textKey !== null && textsSeen.has(textKey)) continue;
    if (textKey !== null) textsSeen.add(textKey);
    const signature = decode(minhash);
    if (signature === null) continue;
    const keys = bands.map((_, band) => bandOf(signature, band));
    const found = nearestLeader(bands, keys, signature);
    if (found !== null) {
      found.leader.members.push(urlId);
      found.leader.least = Math.min(found.leader.least, found.similarity);
      continue;
    }
    const leader: Leader = { urlId, signature, members: [], least: 1 };
    clusters.push(leader);
    // Only leaders wait in the bands: thousands of pages of one template cost one comparison each.
    for (const [band, key] of keys.entries()) {
      const waiting = bands[band]!.get(key);
      if (waiting === undefined) bands[band]!.set(key, [leader]);
      else waiting.push(leader);
    }
  }
  return clusters
    .filter((cluster) => cluster.members.length > 0)
    .map(({ urlId, members, least }) => ({ leader: urlId, members: [urlId, ...members], least }));
}

interface Leader {
  urlId: number;
  signature: Signature;
  members: number[];
  least: number;
}

function nearestLeader(
  bands: readonly Map<string, Leader[]>[],
  keys: readonly string[],
  signature: Signature,
): { leader: Leader; similarity: number } | null {
  const compared = new Set<Leader>();
  let best: { leader: Leader; similarity: number } | null = null;
  for (const [band, key] of keys.entries()) {
    for (const leader of bands[band]!.get(key) ?? []) {
      if (compared.size >= COMPARED_AT_MOST) return best;
      if (compared.has(leader)) continue;
      compared.add(leader);
      const value = similarity(signature, leader.signature, best?.similarity ?? NEAR_DUPLICATE_FROM);
      if (value >= NEAR_DUPLICATE_FROM && value > (best?.similarity ?? 0)) best = { leader, similarity: value };
    }
  }
  return best;
}

/** One issue a cluster, at its leading page. */
export function nearDuplicateIssues(clusters: readonly NearDuplicates[]): FoundIssue[] {
  return clusters.map(({ leader, members, least }) => ({
    checkId: "content.near-dup",
    urlId: leader,
    severity: "notice",
    evidence: {
      message: `${members.length} pages have nearly the same main text: at least ${Math.floor(least * 100)} % alike by estimate (limit ${NEAR_DUPLICATE_FROM * 100} %)`,
      measured: Math.floor(least * 100) / 100,
      limit: NEAR_DUPLICATE_FROM,
      members: members.slice(0, MEMBERS_NAMED),
      memberCount: members.length,
    },
  }));
}
