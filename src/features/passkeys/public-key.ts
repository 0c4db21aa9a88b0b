/** The supported COSE algorithms of passkeys, the preferred one first: EdDSA, ES256, RS256. */
export const ALGORITHMS = [-8, -7, -257] as const;

const KTY = 1;
const ALG = 3;
const PARAMETER_1 = -1;
const PARAMETER_2 = -2;
const PARAMETER_3 = -3;
const MIN_RSA_BYTES = 256;
const MAX_RSA_BYTES = 1_024;

type CoseKey = { get(label: number): unknown };

/**
 * Returns the algorithm of a passkey's public key. Null if the key cannot be imported: an unsupported algorithm or
 * curve, or an invalid point. So a key that could never verify is rejected when it is added.
 */
export async function importableAlgorithm(key: CoseKey): Promise<number | null> {
  const algorithm = key.get(ALG);
  const jwk = jwkOf(key);
  if (jwk === null || typeof algorithm !== "number") return null;
  const parameters = {
    [-7]: { name: "ECDSA", namedCurve: "P-256" },
    [-8]: { name: "Ed25519" },
    [-257]: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  }[algorithm];
  if (parameters === undefined) return null;
  try {
    await crypto.subtle.importKey("jwk", jwk, parameters, false, ["verify"]);
    return algorithm;
  } catch {
    return null;
  }
}

function jwkOf(key: CoseKey): Record<string, string> | null {
  const bytes = (label: number, min: number, max = min): string | null => {
    const value = key.get(label);
    const isRight = value instanceof Uint8Array && value.length >= min && value.length <= max;
    return isRight ? Buffer.from(value).toString("base64url") : null;
  };
  const kind = `${key.get(ALG)}:${key.get(KTY)}`;
  if (kind === "-7:2" && key.get(PARAMETER_1) === 1) {
    const [x, y] = [bytes(PARAMETER_2, 32), bytes(PARAMETER_3, 32)];
    return x === null || y === null ? null : { kty: "EC", crv: "P-256", x, y };
  }
  if (kind === "-8:1" && key.get(PARAMETER_1) === 6) {
    const x = bytes(PARAMETER_2, 32);
    return x === null ? null : { kty: "OKP", crv: "Ed25519", x };
  }
  if (kind === "-257:3") {
    const [n, e] = [bytes(PARAMETER_1, MIN_RSA_BYTES, MAX_RSA_BYTES), bytes(PARAMETER_2, 1, 4)];
    return n === null || e === null ? null : { kty: "RSA", n, e };
  }
  return null;
}
