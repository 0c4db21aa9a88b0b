import * as queries from "#sql/access";
import { exactlyOne } from "../../platform/db/prepared-query.ts";
import type { UserActor } from "../access/access.ts";
import { reauthenticationRequired, unauthenticated } from "../access/errors.ts";
import { credentialsProofAgeOf } from "../access/reauthentication.ts";
import type { App, Service } from "../context.ts";

type Reader = Pick<Service, "app" | "db">;

/**
 * Requires a recent proof of identity in the session, for routes that a stolen access token alone must not open
 * (rules 33.5). The token's `auth_time` is checked first. Only if it is too old, the database is queried, so that
 * an existing token works right after a re-authentication.
 * @throws unauthenticated if the session has ended; reauthenticationRequired
 */
export async function assertRecentProof(
  { app, db }: Reader,
  { userId, sessionId, claims }: UserActor,
  { maxAgeSeconds, isPasswordSent = false }: { maxAgeSeconds: number; isPasswordSent?: boolean },
): Promise<void> {
  if (claims.auth_time !== undefined && claims.auth_time + maxAgeSeconds > Date.now() / 1000) return;
  const session = { userId, sessionId, maxAgeSeconds };
  const { isRecent, isSessionLive } = exactlyOne(await queries.findProof.run(session, db));
  if (!isSessionLive) throw unauthenticated();
  if (isRecent) return;
  const methods = await listWaysToProve({ app, db }, userId);
  // A password in the body is a recent proof, which the route's handler checks.
  if (isPasswordSent && methods.includes("password")) return;
  throw reauthenticationRequired({ methods, maxAgeSeconds });
}

/**
 * Requires a proof of class `credentials`, whatever the service is configured with.
 * @throws unauthenticated, reauthenticationRequired
 */
export const assertCredentialsProof = ({ app, db }: Reader, actor: UserActor): Promise<void> =>
  assertRecentProof({ app, db }, actor, { maxAgeSeconds: credentialsProofAgeOf(app.config) });

/** Returns the means by which the account can prove its identity, the preferred one first (rules 33.7). */
export async function listWaysToProve({ app, db }: Reader, userId: string): Promise<string[]> {
  const [ways] = await queries.findWaysToProve.run({ userId, rpId: app.config.passkeys.rpId }, db);
  if (ways === undefined) throw unauthenticated();
  const methods = [
    ...(ways.hasPasskey && app.config.passkeys.mode !== "off" ? ["passkey"] : []),
    ...(ways.hasPassword ? ["password"] : []),
    ...(ways.needsCode ? ["code"] : []),
    ...configured(app, ways.providers).map((key) => `provider:${key}`),
  ];
  return methods.length > 0 ? methods : ["reset-mail"];
}

const configured = ({ config }: App, providers: string[]): string[] =>
  providers.filter((key) => config.oidc.some((provider) => provider.key === key));
