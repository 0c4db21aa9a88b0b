import * as queries from "#sql/people/passkeys";
import { exactlyOne } from "../../platform/db/prepared-query.ts";
import { conflict } from "../../platform/errors.ts";
import type { Tx } from "../context.ts";

/** Whether an account can sign in by a password, a usable passkey or a configured provider. */
export async function hasWayIn(tx: Tx, userId: string): Promise<boolean> {
  const { passkeys, oidc } = tx.app.config;
  const params = {
    userId,
    rpId: passkeys.rpId,
    passkeysSignIn: passkeys.mode === "on",
    providers: oidc.map(({ key }) => key),
  };
  return exactlyOne(await queries.countWaysIn.run(params, tx.db)).ways > 0;
}

/**
 * Checks that an account can still sign in after one way was removed. Call under the user's lock, in the transaction
 * that removed the way.
 * @throws conflict
 */
export async function assertWayInLeft(tx: Tx, userId: string): Promise<void> {
  if (!(await hasWayIn(tx, userId))) throw conflict();
}
