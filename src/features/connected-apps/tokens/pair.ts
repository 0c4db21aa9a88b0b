import { createHmac, hkdfSync } from "node:crypto";
import { memoizePerApp, tokenHash } from "#kit";
import { appSecret } from "../../../core/access/token-forms.ts";

/** An access token, and the refresh token for the next pair. */
export type Pair = { accessToken: string; refreshToken: string };

export const ACCESS_SECONDS = 15 * 60;
/** How long a replaced refresh token gets the same pair. More than 30 s, after which HTTP clients repeat a request. */
export const GRACE_SECONDS = 60;

/** Returns the first pair of a grant. */
export const randomPair = (): Pair => ({ accessToken: appSecret("a"), refreshToken: appSecret("r") });

const keysOf = memoizePerApp(({ config: { jwtSecret, jwtSecretPrevious } }) =>
  [jwtSecret, jwtSecretPrevious]
    .filter((secret) => secret !== null)
    .map((secret) => new Uint8Array(hkdfSync("sha256", secret, "", "oauth refresh", 32))),
);

/**
 * Returns the pair that replaces a refresh token: computed from it, so that the same token gets the same pair again although no token
 * is stored. The first is made with the current key, the others with previous ones.
 */
export const successorsOf = (app: Parameters<typeof keysOf>[0], refreshToken: string): Pair[] =>
  keysOf(app).map((key) => {
    const derived = (kind: "a" | "r") =>
      appSecret(kind, base62(createHmac("sha256", key).update(`${kind}:${refreshToken}`).digest("hex")));
    return { accessToken: derived("a"), refreshToken: derived("r") };
  });

export const digestsOf = ({ accessToken, refreshToken }: Pair) => ({
  accessHash: tokenHash(accessToken),
  refreshHash: tokenHash(refreshToken),
});

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const LENGTH = 40;

/** Returns the last 40 base62 digits of a number of 256 bits, which has 43. */
function base62(hex: string): string {
  let rest = BigInt(`0x${hex}`);
  let digits = "";
  while (digits.length < LENGTH) {
    digits = DIGITS[Number(rest % 62n)] + digits;
    rest /= 62n;
  }
  return digits;
}
