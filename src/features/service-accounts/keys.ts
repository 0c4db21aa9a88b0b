import type { z } from "zod";
import {
  assertHeld,
  audit,
  authorize,
  changedFields,
  conflict,
  event,
  exactlyOne,
  type OrganizationCall,
  type Permission,
  type SignedInCall,
  sizeLimitReached,
  type Tx,
  tokenHash,
  transaction,
} from "#kit";
import { withoutUndefined } from "#kit/inside";
import * as queries from "#sql/service-accounts";
import { newApiKey, startOf } from "../../core/access/token-forms.ts";
import { assignmentsOf } from "./accounts.ts";
import { assertAllowedEnd } from "./key-end.ts";
import type { CreateApiKeyBody, RotateApiKeyBody, UpdateApiKeyBody } from "./key-schemas.ts";
import { presentKey } from "./present.ts";
import { findKey, findServiceAccount } from "./read.ts";

type Caller = OrganizationCall & SignedInCall;
type KeyIds = { id: string; serviceAccountId: string };

const MAX_ACTIVE_KEYS = 10;

/**
 * Creates a key of a service account. The key has all permissions of the account, so the caller must hold all of
 * them.
 * @throws validationFailed, notFound, permissionNotHeld, sizeLimitReached
 */
export async function createKey(
  tx: Tx<Caller>,
  serviceAccountId: string,
  { name, expiresAt, allowedIps }: z.output<typeof CreateApiKeyBody>,
) {
  assertAllowedEnd(tx.app.config, expiresAt);
  const { organizationId } = tx;
  const unitIds = await authorizeKeys(tx, serviceAccountId);
  const place = { serviceAccountId, organizationId };
  if (exactlyOne(await queries.countActiveApiKeys.run(place, tx.db)).count >= MAX_ACTIVE_KEYS)
    throw sizeLimitReached("A service account has at most 10 active keys", MAX_ACTIVE_KEYS);
  const created = await insertKey(tx, { serviceAccountId, name, expiresAt, allowedIps });
  await audit(tx, "API_KEY_CREATED", {
    organizationId,
    target: { type: "api_key", id: created.id, unitIds },
    metadata: { serviceAccountId, name, start: created.start, expiresAt: created.expiresAt, allowedIps },
  });
  const { key: _, ...object } = created;
  await event(tx, "api_key.created", { organizationId, id: object.id, object, reach: { allUnits: unitIds } });
  return created;
}

/**
 * Renames a key, or changes the IP addresses from which it may be used. @throws notFound, permissionNotHeld;
 * conflict if the key has expired or was revoked
 */
export async function updateKey(call: Caller, ids: KeyIds, change: z.output<typeof UpdateApiKeyBody>) {
  return transaction(call, async (tx) => {
    const { organizationId } = tx;
    const unitIds = await authorizeKeys(tx, ids.serviceAccountId);
    const { name, allowedIps, status } = await findKey(tx, ids, tx.db);
    const before = { name, allowedIps };
    const after = { ...before, ...withoutUndefined(change) };
    const changed = changedFields(before, after);
    if (changed !== null) {
      if (status === "EXPIRED" || status === "REVOKED") throw conflict();
      await queries.updateApiKey.run({ ...ids, organizationId, ...after }, tx.db);
      await audit(tx, "API_KEY_UPDATED", {
        organizationId,
        target: { type: "api_key", id: ids.id, unitIds },
        metadata: { serviceAccountId: ids.serviceAccountId, ...changed },
      });
    }
    return presentKey(await findKey(tx, ids, tx.db));
  });
}

/**
 * Creates a key that replaces an active one. The old key works during the overlap, but not beyond its own expiry. A
 * key that the old one replaced ends now, so that at most two keys of a line work.
 * @throws validationFailed, notFound, permissionNotHeld; conflict if the key is not active
 */
export async function rotateKey(
  tx: Tx<Caller>,
  ids: KeyIds,
  { overlapSeconds, expiresAt }: z.output<typeof RotateApiKeyBody>,
) {
  if (expiresAt !== undefined) assertAllowedEnd(tx.app.config, expiresAt);
  const { organizationId } = tx;
  const { id, serviceAccountId } = ids;
  const unitIds = await authorizeKeys(tx, serviceAccountId);
  const old = await findKey(tx, ids, tx.db);
  if (old.status !== "ACTIVE") throw conflict();
  const end = expiresAt ?? old.expiresAt;
  if (expiresAt === undefined) assertAllowedEnd(tx.app.config, end);
  const { name, allowedIps, start } = old;
  const successor = await insertKey(tx, { serviceAccountId, name, expiresAt: end, allowedIps });
  const replacement = { id, serviceAccountId, organizationId, successorId: successor.id, overlapSeconds };
  const [replaced] = await queries.replaceApiKey.run(replacement, tx.db);
  if (replaced === undefined) throw conflict();
  await audit(tx, "API_KEY_ROTATED", {
    organizationId,
    target: { type: "api_key", id, unitIds },
    metadata: {
      serviceAccountId,
      start,
      successorId: successor.id,
      endsAt: replaced.endsAt.toISOString(),
    },
  });
  const object = async () => presentKey(await findKey(tx, ids, tx.db));
  await event(tx, "api_key.rotated", { organizationId, id, object, reach: { allUnits: unitIds } });
  return successor;
}

/**
 * Revokes a key. Does nothing if the key has expired or was revoked already. Because it is for emergencies, the
 * caller needs only the permission and reach, not the permissions of the account.
 * @throws notFound
 */
export async function revokeKey(call: Caller, ids: KeyIds): Promise<void> {
  await transaction(call, async (tx) => {
    const { organizationId } = tx;
    const { id, serviceAccountId } = ids;
    const permissions = await authorize(tx, "ApiKeys.Delete", { worksInSuspended: true });
    const reach = await permissions.reach("ApiKeys.Delete", tx.db);
    await findServiceAccount(tx, reach, serviceAccountId, tx.db);
    const { start } = await findKey(tx, ids, tx.db);
    const [revoked] = await queries.revokeApiKey.run({ ...ids, organizationId }, tx.db);
    if (revoked === undefined) return;
    const unitIds = await unitsOf(tx, serviceAccountId);
    await audit(tx, "API_KEY_REVOKED", {
      organizationId,
      target: { type: "api_key", id, unitIds },
      metadata: { serviceAccountId, start, via: "member" },
    });
    const object = async () => presentKey(await findKey(tx, ids, tx.db));
    await event(tx, "api_key.revoked", { organizationId, id, object, reach: { allUnits: unitIds } });
  });
}

const CREATE: Permission = "ApiKeys.Create";

/**
 * Begins a write that creates or changes a key. The service account must be in the caller's reach, and the caller
 * must hold all permissions of the account. Returns the units of the account's assignments.
 * @throws notFound, permissionNotHeld
 */
async function authorizeKeys(tx: Tx<Caller>, serviceAccountId: string): Promise<(string | null)[]> {
  const permissions = await authorize(tx, CREATE);
  const reach = await permissions.reach(CREATE, tx.db);
  await findServiceAccount(tx, reach, serviceAccountId, tx.db);
  const assignments = await assignmentsOf(tx, serviceAccountId);
  await assertHeld(tx, permissions, assignments);
  return assignments.map(({ unitId }) => unitId);
}

const unitsOf = async (tx: Tx<Caller>, serviceAccountId: string) =>
  (await assignmentsOf(tx, serviceAccountId)).map(({ unitId }) => unitId);

type NewKey = { serviceAccountId: string; name: string; expiresAt: Date | null; allowedIps: string[] | null };

/** Inserts a key. Returns it with the key in clear text, which is not stored. */
async function insertKey(tx: Tx<Caller>, { serviceAccountId, ...values }: NewKey) {
  const { organizationId, actor, app } = tx;
  const key = newApiKey(app.config.apiKeyPrefix);
  const stored = { tokenHash: tokenHash(key), start: startOf(key), createdById: actor.userId };
  const { id } = exactlyOne(
    await queries.insertApiKey.run({ serviceAccountId, organizationId, ...values, ...stored }, tx.db),
  );
  return { ...presentKey(await findKey(tx, { id, serviceAccountId }, tx.db)), key };
}
