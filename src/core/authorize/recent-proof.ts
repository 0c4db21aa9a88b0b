import * as queries from "#sql/access";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import type { UserActor } from "../access/access.ts";
import { reauthenticationRequired, unauthenticated } from "../access/errors.ts";
import type { App } from "../context.ts";

/** The user and the session of which a proof is asked. */
type Prover = Pick<UserActor, "userId" | "sessionId" | "claims">;

/** What reads need: outside of a transaction or in one. */
export type Reader = { app: App; db: Queryable };

/** Returns for how many hours a sign-in by a connection counts where the organization says nothing; null if single sign-on is off. */
export const ssoHoursOf = ({
  sso,
  ssoProofHours,
}: Pick<App["config"], "sso" | "ssoProofHours">): number | null => (sso ? ssoProofHours : null);

/**
 * Requires a recent proof of identity in the session, for routes that a stolen access token alone must not open
 * (rules 33.5). The token's `auth_time` is checked first. Only if it is too old, the database is queried, so that
 * an existing token works right after a re-authentication.
 * @throws unauthenticated if the session has ended; reauthenticationRequired
 */
export async function assertRecentProof(
  { app, db }: Reader,
  actor: Prover,
  { maxAgeSeconds, organizationId = null, isPasswordSent = false }: NeededProof,
): Promise<void> {
  const ssoHours = ssoHoursOf(app.config);
  const { userId, sessionId, claims } = actor;
  // The token does not say whether its newest proof is the account's own.
  const isTimeOfAny = ssoHours === null || organizationId !== null;
  if (isTimeOfAny && isYounger(claims.auth_time, maxAgeSeconds)) return;
  const session = { userId, sessionId, maxAgeSeconds, organizationId, ssoHours };
  const [proof] = await queries.findProof.run(session, db);
  if (!proof?.isSessionLive) throw unauthenticated();
  if (proof.isRecent) return;
  const methods = await listWaysToProve({ app, db }, userId);
  // A password in the body is a recent proof, which the route's handler checks.
  if (isPasswordSent && methods.includes("password")) return;
  const connections = organizationId === null ? [] : await listConnections(db, actor, organizationId);
  const isMailLast = methods.at(-1) === "reset-mail";
  const offered = isMailLast ? [...connections, "reset-mail"] : [...methods, ...connections];
  throw reauthenticationRequired({ methods: offered, maxAgeSeconds });
}

type NeededProof = {
  /** The maximum age; null if any proof of the account's own in this session is enough. */
  maxAgeSeconds: number | null;
  /** The organization whose connections' proofs count, too; null if only the account's own do. */
  organizationId?: string | null | undefined;
  isPasswordSent?: boolean;
};

const isYounger = (time: number | undefined, maxAgeSeconds: number | null): boolean =>
  time !== undefined && maxAgeSeconds !== null && time + maxAgeSeconds > Date.now() / 1000;

/** Returns the connections of an organization by which the session is proven, as methods. */
async function listConnections(
  db: Reader["db"],
  { userId, sessionId }: Prover,
  organizationId: string,
): Promise<string[]> {
  const proofs = await queries.listSsoProofs.run({ userId, sessionId }, db);
  return proofs.flatMap((proof) =>
    proof.organizationId === organizationId ? `connection:${proof.connectionId}` : [],
  );
}

const CREDENTIALS_SECONDS = 10 * 60;

/** Returns how old the proof of class `credentials` may be, in seconds. */
export const credentialsProofAgeOf = ({
  reauthenticationMinutes: minutes,
}: Pick<App["config"], "reauthenticationMinutes">): number =>
  minutes === null ? CREDENTIALS_SECONDS : Math.min(CREDENTIALS_SECONDS, minutes * 60);

/**
 * Requires a proof of class `credentials`, whatever the service is configured with.
 * @throws unauthenticated, reauthenticationRequired
 */
export const assertCredentialsProof = ({ app, db }: Reader, actor: Prover): Promise<void> =>
  assertRecentProof({ app, db }, actor, { maxAgeSeconds: credentialsProofAgeOf(app.config) });

/**
 * Requires, of a session that was only proven by connections, a proof of the account's own (rules 38). A token that was
 * signed before such a proof works right after it.
 * @throws unauthenticated if the session has ended; reauthenticationRequired
 */
export async function assertOwnProof({ app, db }: Reader, actor: Prover): Promise<void> {
  if (actor.claims.confined) await assertRecentProof({ app, db }, actor, { maxAgeSeconds: null });
}

/** Whether a session was only proven by connections until now, also if its token is older than a proof of the account's own. */
export async function lacksOwnProof(
  { app, db }: Reader,
  { userId, sessionId, claims }: Prover,
): Promise<boolean> {
  if (!claims.confined) return false;
  const any = { maxAgeSeconds: null, organizationId: null, ssoHours: ssoHoursOf(app.config) };
  const [proof] = await queries.findProof.run({ userId, sessionId, ...any }, db);
  return !proof?.isRecent;
}

/** Returns the means by which the account can prove its identity, the preferred one first (rules 33.7). */
export async function listWaysToProve({ app, db }: Reader, userId: string): Promise<string[]> {
  const [ways] = await queries.findWaysToProve.run({ userId, rpId: app.config.passkeys.rpId }, db);
  if (ways === undefined) throw unauthenticated();
  const providers = ways.providers.filter((key) => app.config.oidc.some((provider) => provider.key === key));
  const methods = [
    ...(ways.hasPasskey && app.config.passkeys.mode !== "off" ? ["passkey"] : []),
    ...(ways.hasPassword ? ["password"] : []),
    ...(ways.needsCode ? ["code"] : []),
    ...providers.map((key) => `provider:${key}`),
  ];
  return methods.length > 0 ? methods : ["reset-mail"];
}
