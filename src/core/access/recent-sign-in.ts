import * as queries from "#sql/access";
import { exactlyOne } from "../../platform/db/prepared-query.ts";
import type { App } from "../context.ts";
import type { Actor } from "./access.ts";
import { reauthenticationRequired } from "./errors.ts";

/**
 * For routes that a stolen access token alone must not be enough for, if `REAUTHENTICATION_MINUTES` is set: the session
 * must have begun, or its user proved who they are, within that time (rules 9.9).
 * @throws reauthenticationRequired, also when the session has ended
 */
export async function assertRecentSignIn(app: App, { userId, sessionId }: Actor): Promise<void> {
  const minutes = app.config.reauthenticationMinutes;
  if (minutes === null) return;
  const session = { userId, sessionId, minutes };
  if (!exactlyOne(await queries.isRecentlyAuthenticated.run(session, app.db)).isRecent)
    throw reauthenticationRequired();
}
