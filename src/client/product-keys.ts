import { isLost } from "./http.ts";

type Field = string | undefined;
/** A set of public keys (RFC 7517), as the service publishes it at `/.well-known/jwks.json`. */
export type KeySet = {
  readonly keys: readonly {
    readonly kid?: Field;
    readonly kty?: Field;
    readonly crv?: Field;
    readonly x?: Field;
    readonly y?: Field;
    readonly alg?: Field;
    readonly use?: Field;
  }[];
};

const KEPT_MS = 300_000;
const PAUSE_MS = 30_000;
export const KEYS_TIMEOUT_MS = 5_000;
const CURVE = { name: "ECDSA", namedCurve: "P-256" };

/**
 * Creates the function that returns the key with an id; undefined if the set does not have it. It keeps the set for
 * five minutes, and loads it again for an unknown id, at most every 30 seconds. While the service is down, it uses the
 * set of before.
 * @param load loads the set; if there is no earlier one, its errors reject
 */
export function createKeys(load: () => Promise<KeySet>, now: () => number) {
  let keys: Map<string, CryptoKey> | undefined;
  let loadedAt = 0;
  let triedAt = 0;
  let loading: Promise<void> | undefined;

  async function reload(startedAt: number): Promise<void> {
    try {
      keys = await imported(await load());
      loadedAt = startedAt;
    } catch (error) {
      if (!keys) throw error;
    } finally {
      if (triedAt === startedAt) loading = undefined;
    }
  }

  return async function keyOf(kid: string): Promise<CryptoKey | undefined> {
    const time = now();
    // A clock that was set back makes no set younger.
    const isOlder = (than: number, at: number) => Math.abs(time - at) >= than;
    if (isOlder(KEPT_MS, loadedAt) || !keys?.has(kid)) {
      const shared = isOlder(KEYS_TIMEOUT_MS, triedAt) ? undefined : loading;
      try {
        if (shared) await shared;
      } catch (error) {
        if (!isLost(error)) throw error;
        if (loading === shared) triedAt = 0;
        return keyOf(kid);
      }
      if (!shared && (!keys || isOlder(PAUSE_MS, triedAt))) {
        triedAt = time;
        loading = reload(time);
        await loading;
      }
    }
    return keys?.get(kid);
  };
}

/** Imports the keys of ES256 in a set, without anything private that it may have. */
async function imported(set: KeySet): Promise<Map<string, CryptoKey>> {
  const keys = new Map<string, CryptoKey>();
  for (const { kty, crv, x, y, kid, alg = "ES256", use = "sig" } of set.keys)
    if (kid && kty === "EC" && crv === "P-256" && alg === "ES256" && use === "sig") {
      const key = { kty, crv, x, y } as { kty: string };
      keys.set(kid, await crypto.subtle.importKey("jwk", key, CURVE, false, ["verify"]));
    }
  return keys;
}
