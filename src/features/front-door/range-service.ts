import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { type BreachedPasswords, UnexpectedAnswer } from "../../core/accounts/outside-checks.ts";
import type { Fetch } from "../../platform/tracing/tracing.ts";

const TIMEOUT_MS = 1_000;
const PREFIX_DIGITS = 5;
const HOUR_MS = 3_600_000;
const MAX_PREFIXES = 1_000;
/** The maximum size of the kept answers, in characters of one byte. */
const MAX_KEPT = 64 * 1024 * 1024;
const LINE = /^([0-9A-F]{35}):(\d{1,12})$/i;

/**
 * Creates a client of a range service (k-anonymity): only the first five hexadecimal digits of a password's SHA-1 leave the
 * service, and the answer lists the rest of every known digest that begins so. The answer is padded, so that its size
 * reveals nothing; rows of the padding have the count 0.
 * @param url the address to which the five digits are appended
 */
export function rangeService(url: string, send: Fetch): BreachedPasswords {
  const kept = new LRUCache<string, string>({
    max: MAX_PREFIXES,
    ttl: HOUR_MS,
    maxSize: MAX_KEPT,
    sizeCalculation: (suffixes) => suffixes.length + 1,
  });

  async function suffixesOf(prefix: string): Promise<string> {
    const known = kept.get(prefix);
    if (known !== undefined) return known;
    const response = await send(url + prefix, {
      headers: { "add-padding": "true" },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status !== 200) throw new UnexpectedAnswer(`status ${response.status}`);
    const suffixes = listed(await response.text());
    kept.set(prefix, suffixes);
    return suffixes;
  }

  return {
    async isListed(password) {
      const digest = createHash("sha1").update(password).digest("hex").toUpperCase();
      const suffixes = await suffixesOf(digest.slice(0, PREFIX_DIGITS));
      return suffixes.includes(digest.slice(PREFIX_DIGITS));
    },
  };
}

/** Returns the suffixes with a count above 0, one a line. @throws UnexpectedAnswer */
function listed(text: string): string {
  const suffixes: string[] = [];
  for (const line of text.split("\n")) {
    const row = line.trim();
    if (row === "") continue;
    const [, suffix = "", count = ""] = LINE.exec(row) ?? [];
    if (suffix === "") throw new UnexpectedAnswer("a line that is no row of a range");
    if (Number(count) > 0) suffixes.push(suffix.toUpperCase());
  }
  return suffixes.join("\n");
}
