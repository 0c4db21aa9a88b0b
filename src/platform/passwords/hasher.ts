import { type Argon2Engine, saltBytes, standardCost, tagBytes } from "./argon2.ts";
import { createGate, type GateOptions, type HashRequester } from "./gate.ts";
import { formatHash, parseHash, type StoredHash } from "./phc.ts";

/**
 * Makes and checks the password hashes that the database holds. Whatever a request asks for says whose it is; without
 * that, as on the command line, only the bounds of all together hold.
 */
export interface PasswordHasher {
  /**
   * A new hash of the password as a PHC string, with a fresh salt. Rejects with the error of `onFull` or `onRequesterLimit`
   * when too many wait, with a RangeError for an empty password, and when the engine fails.
   */
  hash(password: string, asker?: HashRequester): Promise<string>;
  /**
   * Whether the password is the one that was hashed. Null (no such account, or one without a password)
   * and a malformed hash answer false at the cost of a real verification, so the time tells nothing.
   * Rejects with the error of `onFull` or `onRequesterLimit` when too many wait, and when the engine fails.
   */
  verify(hash: string | null, password: string, asker?: HashRequester): Promise<boolean>;
  /** How many passwords wait to be hashed. */
  waiting(): number;
}

/** A hasher on the engine, behind a gate that hashing and verifying share. */
export function createHasher(engine: Argon2Engine, options: GateOptions): PasswordHasher {
  const gate = createGate(options);

  return {
    async hash(password, asker) {
      if (password === "") throw new RangeError("An empty password cannot be hashed");

      const salt = crypto.getRandomValues(new Uint8Array(saltBytes));
      const job = { password: encode(password), salt, cost: standardCost, tagBytes };
      const tag = await gate(() => engine.derive(job), asker);
      return formatHash({ cost: standardCost, salt, tag });
    },

    async verify(hash, password, asker) {
      // No account has an empty password, and not every engine takes one.
      const stored = hash === null || password === "" ? null : parseHash(hash);
      const { cost, salt, tag } = stored ?? decoy;
      const job = { password: encode(password || "-"), salt, cost, tagBytes: tag.length };

      const derived = await gate(() => engine.derive(job), asker);
      return equal(derived, tag) && stored !== null;
    },

    waiting: gate.waiting,
  };
}

/**
 * A longer password, in UTF-16 units, is refused by its length alone. 200 characters, the most that one may have, take
 * fewer however they are decomposed, and to normalize 48,000 combining marks stops everything else for seconds.
 */
export const MAX_PASSWORD_UNITS = 1_000;

/**
 * The one form in which a password is measured, compared and hashed: keyboards write the same letter
 * composed or decomposed (NFC makes them one; NIST SP 800-63B asks for it).
 */
export function normalized(password: string): string {
  return password.normalize("NFC");
}

/** Stands in where there is no hash. No password is known to derive this tag, and none would be let in. */
const decoy: StoredHash = {
  cost: standardCost,
  salt: new Uint8Array(saltBytes),
  tag: new Uint8Array(tagBytes),
};

function encode(password: string): Uint8Array {
  return new TextEncoder().encode(normalized(password));
}

/** Looks at every byte, wherever the first difference is. */
function equal(left: Uint8Array, right: Uint8Array): boolean {
  let difference = left.length ^ right.length;
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index] ?? 0);
  return difference === 0;
}
