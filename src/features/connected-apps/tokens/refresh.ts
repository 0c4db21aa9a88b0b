import { type Call, tokenHash as digestOf } from "#kit";
import { singleStatement } from "#kit/inside";
import * as queries from "#sql/oauth-tokens";
import { operatorOf } from "../../../core/access/app-operator.ts";
import { isAppSecret } from "../../../core/access/token-forms.ts";
import { inetOf } from "../../../platform/http/client-address.ts";
import { endReused } from "../grants/end.ts";
import { countUnknown } from "./client.ts";
import { oauthError } from "./errors.ts";
import type { Fields } from "./fields.ts";
import {
  ACCESS_SECONDS,
  type Answer,
  answerOf,
  assertResource,
  digestsOf,
  GRACE_SECONDS,
  successorsOf,
} from "./pair.ts";

type Found = queries.IFindRefreshTokenResult;

/**
 * Replaces a refresh token by a new pair (rules 46.14). Within a minute, while the new token was not used, the old one gets the same pair;
 * any other use of a token that was replaced is theft and ends the grant.
 * @throws invalid_request; invalid_grant; invalid_target; invalid_scope; tooManyRequests after too many tokens that do not exist
 */
export async function refresh(call: Call, clientId: string, fields: Fields): Promise<Answer> {
  const token = fields.need("refresh_token");
  const found = isAppSecret("r", token) ? await find(call, token) : undefined;
  if (found === undefined) countUnknown(call);
  if (found?.clientId !== clientId) throw oauthError("invalid_grant");
  assertResource(fields.resources, found.resource, call.app.config);
  const scopes = narrowedTo(fields.get("scope"), found.scopes);
  const rotated = found.isRotated ? null : await rotate(call, token, { scopes, granted: found.scopes });
  if (rotated !== null) return { body: rotated, grantId: found.grantId, outcome: "issued" };
  return repeat(call, token, found.isRotated ? found : await find(call, token));
}

const find = async (call: Call, token: string): Promise<Found | undefined> => {
  const sought = {
    tokenHash: digestOf(token),
    operator: operatorOf(call.app.config),
    graceSeconds: GRACE_SECONDS,
  };
  return (await queries.findRefreshToken.run(sought, call.db))[0];
};

/** Returns the scopes to which an app narrows an access token; null for all that were granted. @throws invalid_scope */
function narrowedTo(sent: string | null, granted: string[]): string[] | null {
  // Every grant has a refresh token, so asking for it asks for nothing.
  const names = (sent ?? "").split(" ").filter((name) => name !== "" && name !== "offline_access");
  if (names.some((name) => !granted.includes(name))) throw oauthError("invalid_scope");
  return names.length === 0 ? null : granted.filter((name) => names.includes(name));
}

/**
 * Rotates a token; returns null if it was rotated or its grant does not work. The pair is computed from the token, so running the
 * statement again is harmless.
 */
async function rotate(
  call: Call,
  token: string,
  { scopes, granted }: { scopes: string[] | null; granted: string[] },
): Promise<Answer["body"] | null> {
  const [pair] = successorsOf(call.app, token);
  if (pair === undefined) return null;
  const given = {
    tokenHash: digestOf(token),
    ...digestsOf(pair),
    scopes,
    operator: operatorOf(call.app.config),
    ip: call.ip === null ? null : inetOf(call.ip),
    accessSeconds: ACCESS_SECONDS,
  };
  const [rotated] = await singleStatement(call, (db) => queries.rotateRefreshToken.run(given, db));
  return rotated === undefined ? null : answerOf(pair, { ...rotated, scopes: scopes ?? granted });
}

/**
 * Handles a token that cannot be rotated: repeats the response, or ends the grant of a token that was replaced.
 * @throws invalid_grant
 */
async function repeat(call: Call, token: string, found: Found | undefined): Promise<Answer> {
  if (found?.isUsable && found.successorHash !== null) {
    const pair = successorsOf(call.app, token).find(
      (one) => digestsOf(one).refreshHash === found.successorHash,
    );
    if (pair === undefined) throw oauthError("invalid_grant");
    const [access] = await queries.findAccessToken.run({ tokenHash: digestsOf(pair).accessHash }, call.db);
    if (access === undefined) throw oauthError("invalid_grant");
    const body = answerOf(pair, { ...access, scopes: access.scopes ?? found.scopes });
    return { body, grantId: found.grantId, outcome: "repeated" };
  }
  if (found?.isRotated && found.successorHash === null && !found.isOver)
    await endReused(call, found, "refresh");
  throw oauthError("invalid_grant");
}
