import type { z } from "zod";
import { resourceOf } from "../resource.ts";
import { oauthError } from "./errors.ts";
import type { Pair } from "./pair.ts";
import type { TokenResponse } from "./schemas.ts";

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
