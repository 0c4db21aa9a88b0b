import type { Permits } from "../limits/permits.ts";
import { type Argon2Engine, type Argon2Job, saltBytes, standardCost, tagBytes } from "./argon2.ts";
import { formatHash, parseHash, type StoredHash } from "./phc.ts";

/**
 * The requester of a hash (an account id or, signed out, an email), and the priority: `confirmation` for
 * re-authentications of signed-in users; `sign-in` for everything else.
 */
export type HashRequester = { key: string; priority: "sign-in" | "confirmation" };

/** Limits how many hashes run and wait, so that no client, with one account or many, keeps others from signing in. */
export type HashPermits = Permits<"signIns" | "reauthentications" | "account" | "instance">;

/**
 * Creates and verifies password hashes. Requests pass a requester, for whom further limits apply. Commands pass
 * none.
 */
export interface PasswordHasher {
  /**
   * Hashes the password with a new salt; returns a PHC string. Rejects with an error of the permits if too many hashes
   * wait, with a RangeError for an empty password, and if the engine fails.
   */
  hash(password: string, requester?: HashRequester): Promise<string>;
  /**
   * Whether the password matches the hash. Returns false for null (no such account, or an account without a
   * password) and for a malformed hash, at the cost of a real verification, which closes the timing side channel.
   * Rejects with an error of the permits if too many hashes wait, and if the engine fails.
   */
  verify(hash: string | null, password: string, requester?: HashRequester): Promise<boolean>;
  /**
   * Whether a hash should be replaced, because its parameters differ from those of new hashes. False for malformed
   * hashes.
   */
  isOutdated(hash: string): boolean;
  /** Returns the number of passwords that wait to be hashed. */
  waiting(): number;
}

/**
 * Creates a password hasher with this engine. Hashing and verifying share the permits. Sign-ins and re-authentications
 * take turns.
 * @param options.keepsHashes if set, no hash counts as outdated; for tests with cheap hashes
 */
export function createHasher(
  engine: Argon2Engine,
  permits: HashPermits,
  { keepsHashes = false }: { keepsHashes?: boolean } = {},
): PasswordHasher {
  const derive = (job: Argon2Job, requester?: HashRequester) => {
    const turn = requester?.priority === "confirmation" ? "reauthentications" : "signIns";
    const keys = { [turn]: "", account: requester?.key, instance: "" };
    return permits.run(keys, {}, () => engine.derive(job));
  };

  return {
    async hash(password, requester) {
      if (password === "") throw new RangeError("An empty password cannot be hashed");

      const salt = crypto.getRandomValues(new Uint8Array(saltBytes));
      const job = { password: encode(password), salt, cost: standardCost, tagBytes };
      const tag = await derive(job, requester);
      return formatHash({ cost: standardCost, salt, tag });
    },

    async verify(hash, password, requester) {
      // An empty password is rejected: no account has one, and not every engine accepts one.
      const stored = hash === null || password === "" ? null : parseHash(hash);
      const { cost, salt, tag } = stored ?? decoy;
      const job = { password: encode(password || "-"), salt, cost, tagBytes: tag.length };

      const derived = await derive(job, requester);
      return equal(derived, tag) && stored !== null;
    },

    isOutdated(hash) {
      const cost = parseHash(hash)?.cost;
      if (keepsHashes || cost === undefined) return false;
      const { memoryKiB, passes, lanes } = standardCost;
      return cost.memoryKiB !== memoryKiB || cost.passes !== passes || cost.lanes !== lanes;
    },

    waiting: () => permits.at("instance").waiting,
  };
}

/**
 * The maximum length of a password in UTF-16 units. A password of the maximum of 200 characters never has more
 * units, even decomposed. Longer passwords are rejected without normalizing: 48,000 combining marks would block the
 * event loop for seconds.
 */
export const MAX_PASSWORD_UNITS = 1_000;

/**
 * Normalizes a password to the form in which it is measured, compared and hashed. Keyboards write an accented
 * letter composed or decomposed; NFC makes both equal (NIST SP 800-63B requires normalization).
 */
export function normalized(password: string): string {
  return password.normalize("NFC");
}

/**
 * The hash that is verified if the account has no password. No known password has this tag, and a match is rejected
 * anyway.
 */
const decoy: StoredHash = {
  cost: standardCost,
  salt: new Uint8Array(saltBytes),
  tag: new Uint8Array(tagBytes),
};

function encode(password: string): Uint8Array {
  return new TextEncoder().encode(normalized(password));
}

/** Compares two tags in constant time: reads every byte, wherever the first difference is. */
function equal(left: Uint8Array, right: Uint8Array): boolean {
  let difference = left.length ^ right.length;
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index] ?? 0);
  return difference === 0;
}
