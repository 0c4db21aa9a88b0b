import { type Argon2Engine, saltBytes, standardCost, tagBytes } from "./argon2.ts";
import { createHashLimiter, type HashLimiterOptions, type HashRequester } from "./hash-limiter.ts";
import { formatHash, parseHash, type StoredHash } from "./phc.ts";

/**
 * Creates and verifies password hashes. Requests pass a requester; without one, as on the command line, only the
 * common limits apply.
 */
export interface PasswordHasher {
  /**
   * Hashes the password, with a new salt, as a PHC string. Rejects with the error of `onFull` or `onRequesterLimit`
   * if too many wait, with a RangeError for an empty password, and if the engine fails.
   */
  hash(password: string, requester?: HashRequester): Promise<string>;
  /**
   * Whether the password matches the hash. For null (no such account, or one without a password) and for a malformed
   * hash it returns false at the cost of a real verification, which closes the timing side channel. Rejects with the
   * error of `onFull` or `onRequesterLimit` if too many wait, and if the engine fails.
   */
  verify(hash: string | null, password: string, requester?: HashRequester): Promise<boolean>;
  /** Whether a hash should be replaced, because new hashes have other parameters. False for malformed hashes. */
  isOutdated(hash: string): boolean;
  /** Returns the number of passwords that wait to be hashed. */
  waiting(): number;
}

type HasherOptions = HashLimiterOptions & {
  /** For tests with cheap hashes: no hash counts as outdated. */
  keepsHashes?: boolean;
};

/** Creates a hasher that uses the engine, with one limiter for hashing and verifying. */
export function createHasher(
  engine: Argon2Engine,
  { keepsHashes = false, ...options }: HasherOptions,
): PasswordHasher {
  const limiter = createHashLimiter(options);

  return {
    async hash(password, requester) {
      if (password === "") throw new RangeError("An empty password cannot be hashed");

      const salt = crypto.getRandomValues(new Uint8Array(saltBytes));
      const job = { password: encode(password), salt, cost: standardCost, tagBytes };
      const tag = await limiter(() => engine.derive(job), requester);
      return formatHash({ cost: standardCost, salt, tag });
    },

    async verify(hash, password, requester) {
      // No account has an empty password, and not every engine accepts one.
      const stored = hash === null || password === "" ? null : parseHash(hash);
      const { cost, salt, tag } = stored ?? decoy;
      const job = { password: encode(password || "-"), salt, cost, tagBytes: tag.length };

      const derived = await limiter(() => engine.derive(job), requester);
      return equal(derived, tag) && stored !== null;
    },

    isOutdated(hash) {
      const cost = parseHash(hash)?.cost;
      if (keepsHashes || cost === undefined) return false;
      const { memoryKiB, passes, lanes } = standardCost;
      return cost.memoryKiB !== memoryKiB || cost.passes !== passes || cost.lanes !== lanes;
    },

    waiting: limiter.waiting,
  };
}

/**
 * A password of more UTF-16 units is rejected by its length alone. A password of the maximum of 200 characters never
 * has more units, even decomposed. Normalizing 48,000 combining marks would block the event loop for seconds.
 */
export const MAX_PASSWORD_UNITS = 1_000;

/**
 * Normalizes a password to the form in which it is measured, compared and hashed. Keyboards write the same letter
 * composed or decomposed; NFC makes both equal (NIST SP 800-63B requires normalization).
 */
export function normalized(password: string): string {
  return password.normalize("NFC");
}

/** The hash that is verified if the account has none. No known password has this tag, and a match is rejected anyway. */
const decoy: StoredHash = {
  cost: standardCost,
  salt: new Uint8Array(saltBytes),
  tag: new Uint8Array(tagBytes),
};

function encode(password: string): Uint8Array {
  return new TextEncoder().encode(normalized(password));
}

/** Compares in constant time: every byte is read, wherever the first difference is. */
function equal(left: Uint8Array, right: Uint8Array): boolean {
  let difference = left.length ^ right.length;
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index] ?? 0);
  return difference === 0;
}
