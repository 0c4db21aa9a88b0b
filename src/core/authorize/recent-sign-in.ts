import * as queries from "#sql/access";
import { exactlyOne } from "../../platform/db/prepared-query.ts";
import type { UserActor } from "../access/access.ts";
import { reauthenticationRequired } from "../access/errors.ts";
import type { Service } from "../context.ts";

/**
 * Requires a recent sign-in, for routes that a stolen access token alone must not be enough for. If
 * `REAUTHENTICATION_MINUTES` is set, the session must have begun, or its user must have re-authenticated, within that
 * time (rules 9.9).
 * @throws reauthenticationRequired, also if the session has ended
 */
export async function assertRecentSignIn(
  { app, db }: Pick<Service, "app" | "db">,
  { userId, sessionId }: UserActor,
): Promise<void> {
  const minutes = app.config.reauthenticationMinutes;
  if (minutes === null) return;
  const session = { userId, sessionId, minutes };
  if (!exactlyOne(await queries.isRecentlyAuthenticated.run(session, db)).isRecent)
    throw reauthenticationRequired();
}
