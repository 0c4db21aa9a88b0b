import { createHmac, hkdfSync } from "node:crypto";
import type { z } from "zod";
import { memoizePerApp, tokenHash } from "#kit";
import { appSecret } from "../../../core/access/token-forms.ts";
import { resourceOf } from "../resource.ts";
import { oauthError } from "./errors.ts";
import type { TokenResponse } from "./schemas.ts";

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

/** A response of the token endpoint, with the values that are logged and counted. */
export type Answer = {
  body: z.output<typeof TokenResponse>;
  grantId: string;
  outcome: "issued" | "repeated";
};

export const answerOf = (
  pair: Pair,
  { secondsLeft, scopes }: { secondsLeft: number; scopes: readonly string[] },
): Answer["body"] => ({
  access_token: pair.accessToken,
  token_type: "Bearer",
  expires_in: secondsLeft,
  refresh_token: pair.refreshToken,
  scope: scopes.join(" "),
});

/** @throws invalid_target unless the resources that an app names, none or more, are the one of its grant, and that is served */
export function assertResource(
  sent: string[],
  resource: string,
  place: Parameters<typeof resourceOf>[1],
): void {
  const named = [`${place.apiUrl}/${resource}`, ...sent];
  if (named.some((one) => resourceOf(one, place) !== resource)) throw oauthError("invalid_target");
}
