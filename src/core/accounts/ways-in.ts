import * as queries from "#sql/people/passkeys";
import { exactlyOne } from "../../platform/db/prepared-query.ts";
import { conflict } from "../../platform/errors.ts";
import type { Tx } from "../context.ts";

/**
 * Checks that an account can still sign in after one way was removed: by a password, a usable passkey or a
 * configured provider. Call under the user's lock, in the transaction that removed the way.
 * @throws conflict
 */
export async function assertWayInLeft(tx: Tx, userId: string): Promise<void> {
  const { passkeys, oidc } = tx.app.config;
  const params = {
    userId,
    rpId: passkeys.rpId,
    passkeysSignIn: passkeys.mode === "on",
    providers: oidc.map(({ key }) => key),
  };
  if (exactlyOne(await queries.countWaysIn.run(params, tx.db)).ways === 0) throw conflict();
}
