import * as queries from "#sql/access";
import type { ApiError } from "../../platform/errors.ts";
import type { UserActor } from "../access/access.ts";
import { reauthenticationRequired, secondFactorRequired } from "../access/errors.ts";
import { type BlockCode, ssoRequired } from "../access/sign-on-errors.ts";
import type { App } from "../context.ts";
import { listWaysToProve, type Reader, ssoHoursOf } from "./recent-proof.ts";

/** Returns the error for a session that lacks something, with what lifts it. */
export async function blockOf(
  reader: Reader & { actor: UserActor },
  organizationId: string,
  code: BlockCode,
): Promise<ApiError> {
  const { userId } = reader.actor;
  reader.app.meter.count("sign_on_refusals_total", { code });
  if (code === "SSO_REQUIRED") return ssoRequired(await connectionFor(reader, userId, organizationId));
  if (code === "TWO_FACTOR_REQUIRED") return secondFactorRequired({ methods: [] });
  const [policy] = await queries.findPolicy.run({ organizationId }, reader.db);
  const methods = await listWaysToProve(reader, userId);
  const hours = policy?.maxSessionHours ?? null;
  return reauthenticationRequired({
    methods: policy?.requireTwoFactor ? withTwoFactors(methods) : methods,
    maxAgeSeconds: hours === null ? null : hours * 3600,
  });
}
/** Returns those methods that show two factors: a passkey, or password and code together. */
const withTwoFactors = (methods: string[]) => {
  const enough = methods.includes("code") ? ["passkey", "password", "code"] : ["passkey"];
  return methods.filter((method) => enough.includes(method));
};

/** Checks that a session of the caller may act in an organization. @throws the error of `blockOf` */
export async function assertMayAct(
  reader: Reader & { actor: UserActor },
  organizationId: string,
  sessionId: string = reader.actor.sessionId,
): Promise<void> {
  const { userId } = reader.actor;
  const ssoHours = ssoHoursOf(reader.app.config);
  const [block] = await queries.findBlock.run({ userId, sessionId, organizationId, ssoHours }, reader.db);
  if (block?.blockedBy != null) throw await blockOf(reader, organizationId, block.blockedBy as BlockCode);
}

/** Returns the connection by which a person comes into an organization, and where its sign-in begins; nulls if there is none. */
export async function connectionFor({ app, db }: Reader, userId: string, organizationId: string) {
  const [connection] = await queries.findConnectionOf.run({ userId, organizationId }, db);
  const connectionId = connection?.id ?? null;
  return { connectionId, url: connectionId === null ? null : startUrlOf(app, connectionId) };
}

/** Returns the address at which a sign-in by a connection begins; a browser opens it. */
export const startUrlOf = ({ config }: Pick<App, "config">, connectionId: string): string =>
  `${config.apiUrl}/api/auth/sso/${connectionId}`;
