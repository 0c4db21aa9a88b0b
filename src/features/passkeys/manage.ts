import type { z } from "zod";
import {
  type App,
  conflict,
  endOf,
  exactlyOne,
  notFound,
  type Service,
  type SignedInCall,
  transaction,
} from "#kit";
import * as queries from "#sql/passkeys";
import { authenticatorOf } from "../../core/accounts/authenticators.ts";
import { listSecondFactors } from "../../core/accounts/passkey-options.ts";
import { lockAccount } from "../../core/accounts/reauthenticate.ts";
import { findOwnAccount } from "../../core/accounts/user.ts";
import { assertWayInLeft } from "../../core/accounts/ways-in.ts";
import { tellOfPasskey } from "./effects.ts";
import type { Passkey } from "./schemas.ts";

type StoredPasskey = Awaited<ReturnType<typeof queries.listPasskeys.run>>[number];

/**
 * Converts a passkey to its API form. A passkey of another domain is shown as blocked, because it does not work
 * here.
 */
export const presentPasskey = ({ config }: App, row: StoredPasskey): z.output<typeof Passkey> => ({
  id: row.id,
  name: row.name,
  authenticator: authenticatorOf(row.aaguid),
  transports: row.transports,
  backupEligible: row.backupEligible,
  backedUp: row.backedUp,
  signIn: row.signsIn,
  status: row.blockedAt === null && row.rpId === config.passkeys.rpId ? "ACTIVE" : "BLOCKED",
  createdAt: row.createdAt.toISOString(),
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
});

/** Returns the caller's passkeys, oldest first. @throws unauthenticated for a deleted account */
export async function listPasskeys(call: SignedInCall): Promise<z.output<typeof Passkey>[]> {
  const { id: userId } = await findOwnAccount(call);
  const rows = await queries.listPasskeys.run({ userId }, call.db);
  return rows.map((row) => presentPasskey(call.app, row));
}

/** Renames a passkey of the caller. @throws unauthenticated, notFound */
export async function renamePasskey(
  call: SignedInCall,
  id: string,
  { name }: { name?: string | undefined },
): Promise<z.output<typeof Passkey>> {
  return transaction(call, async (tx) => {
    const { id: userId } = await lockAccount(tx);
    if (name !== undefined) await queries.renamePasskey.run({ id, userId, name }, tx.db);
    const [row] = await queries.findPasskey.run({ id, userId }, tx.db);
    if (row === undefined) throw notFound();
    return presentPasskey(tx.app, row);
  });
}

/**
 * Removes a passkey of the caller.
 * @throws unauthenticated, notFound; conflict if it is the account's last way to sign in, or the last passkey of a
 * second factor without an authenticator app
 */
export async function removePasskey(call: SignedInCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const account = await lockAccount(tx);
    const { id: userId } = account;
    const before = await listSecondFactors(tx, userId);
    const [removed] = await queries.deletePasskey.run({ id, userId }, tx.db);
    if (removed === undefined) throw notFound();
    await assertWayInLeft(tx, userId);
    const after = await listSecondFactors(tx, userId);
    const endsFactor = before.includes("passkey") && !after.includes("passkey") && !after.includes("code");
    if (account.hasTwoFactor && endsFactor) throw conflict();
    await tellOfPasskey(tx, "REMOVED", account, [removed]);
    await endOf("secondFactor", tx, userId);
  });
}

/** Logs at the start how many passkeys are bound to another domain than the configured one, and so no longer work. */
export async function checkDomainOfPasskeys({ app: { log, config }, db }: Service): Promise<void> {
  const { rpId, mode } = config.passkeys;
  if (mode === "off") return;
  const { count } = exactlyOne(await queries.countPasskeysOfOtherDomains.run({ rpId }, db));
  if (count > 0)
    log.warn("passkeys are bound to another WEBAUTHN_RP_ID", { credentials: count, domain: rpId });
}
