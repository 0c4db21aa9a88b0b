import type { z } from "zod";
import {
  audit,
  authorize,
  type ConfirmedPermissions,
  changedFields,
  conflict,
  exactlyOne,
  type OrganizationCall,
  type Tx,
  transaction,
} from "#kit";
import { withoutUndefined } from "#kit/inside";
import * as queries from "#sql/sso-connections";
import { connectionNotTested } from "../../core/access/sign-on-errors.ts";
import { roleEntry, rolesAndUnits } from "../../core/accounts/memberships.ts";
import { type NamedAssignment, resolveAssignments } from "../members/assignments.ts";
import { assertGivenOrDefault } from "../members/given.ts";
import type { UpdateConnectionBody } from "./connection-bodies.ts";
import { assertIssuer } from "./connection-create.ts";
import { findStored, type StoredConnection, showConnection } from "./connection-read.ts";
import { connectionCipher } from "./secrets.ts";

export type Change = z.output<typeof UpdateConnectionBody>;

/** Whether a change does nothing but turn the connection off, which needs no plan and works in a suspended organization. */
export const isTurningOff = ({ version: _, ...change }: Change): boolean =>
  change.status === "DISABLED" && Object.keys(change).length === 1;

/**
 * Changes a connection. A changed provider makes an enabled one a draft again, and only what was tested is enabled.
 * @throws validationFailed, notFound, permissionNotHeld, conflict, connectionNotTested
 */
export async function updateConnection(call: OrganizationCall, id: string, change: Change) {
  const issuer = change.oidc?.issuer;
  if (issuer !== undefined) {
    const { issuer: stored } = await findStored(call, id);
    if (issuer !== stored) await assertIssuer(call, issuer);
  }
  return transaction(call, async (tx) => {
    const permissions = await authorize(
      tx,
      "SingleSignOn.Update",
      isTurningOff(change) ? { worksInSuspended: true } : {},
    );
    return changeConnection(tx, permissions, id, change);
  });
}

/** Like `updateConnection`, in the transaction and under the organization's lock. */
export async function changeConnection(
  tx: Tx<OrganizationCall>,
  permissions: ConfirmedPermissions,
  id: string,
  change: Change,
) {
  const { organizationId } = tx;
  const wanted =
    change.defaultAssignments === undefined
      ? null
      : await resolveAssignments(tx.db, organizationId, change.defaultAssignments, "defaultAssignments");
  const before = await findStored(tx, id);
  await assertMayGive(tx, permissions, before, change, wanted);
  if (change.version !== undefined && change.version !== before.version) throw conflict();
  const after = changedBy(tx, before, change, wanted);
  const fields = changedFields(shownOf(before), shownOf(after));
  const isSecretChanged = before.clientSecret !== after.clientSecret;
  if (fields === null && !isSecretChanged) return showConnection(tx, id);
  if (before.identityCount > 0 && isOtherPerson(before, after)) throw conflict();
  const isOther = isSecretChanged || isOtherProvider(before, after) || hasOtherClaims(before, after);
  await queries.updateConnection.run({ ...after, organizationId, isOther }, tx.db);
  if (change.status === "ENABLED" && (isOther || before.status !== "ENABLED")) await assertTested(tx, id);
  if (wanted !== null)
    await queries.replaceConnectionAssignments.run(
      { connectionId: id, organizationId, ...rolesAndUnits(wanted) },
      tx.db,
    );
  await audit(tx, "CONNECTION_UPDATED", {
    organizationId,
    target: { type: "connection", id },
    metadata: {
      from: fields?.from ?? {},
      to: fields?.to ?? {},
      ...(isSecretChanged && { clientSecretChanged: true as const }),
    },
  });
  return showConnection(tx, id);
}

/** Who sets the default roles, or lets people become members, gives others these roles. */
async function assertMayGive(
  tx: Tx<OrganizationCall>,
  permissions: ConfirmedPermissions,
  before: StoredConnection,
  change: Change,
  wanted: NamedAssignment[] | null,
): Promise<void> {
  const opens = change.provisioning === "jit" && before.provisioning !== "jit";
  if (wanted === null && !opens) return;
  const { organizationId } = tx;
  const given =
    wanted ??
    (await resolveAssignments(tx.db, organizationId, before.defaultAssignments, "defaultAssignments"));
  const isJit = (change.provisioning ?? before.provisioning) === "jit";
  if (given.length > 0 || isJit) await assertGivenOrDefault(tx, permissions, given);
}

/** Returns the connection as it is after a change. */
function changedBy(
  { app }: Tx<OrganizationCall>,
  before: StoredConnection,
  { name, oidc = {}, claims, provisioning, secondFactor, status }: Change,
  wanted: NamedAssignment[] | null,
): StoredConnection {
  const { clientSecret, ...others } = oidc;
  const isOtherIssuer = oidc.issuer !== undefined && oidc.issuer !== before.issuer;
  // A new provider never gets the secret that was meant for the old one.
  const keptSecret = isOtherIssuer ? null : before.clientSecret;
  const after: StoredConnection = {
    ...before,
    ...withoutUndefined({ name, provisioning, secondFactor, status }),
    ...withoutUndefined(others),
    clientSecret:
      clientSecret === undefined
        ? keptSecret
        : clientSecret === null
          ? null
          : connectionCipher(app).encrypt(clientSecret),
    claims: { ...before.claims, ...withoutUndefined(claims ?? {}) },
    defaultAssignments: wanted?.map(roleEntry) ?? before.defaultAssignments,
  };
  if (oidc.clientSecretExpiresAt != null)
    after.clientSecretExpiresAt = new Date(oidc.clientSecretExpiresAt).toISOString();
  const isDraft = isOtherProvider(before, after) && after.status === "ENABLED";
  // What is asked to be enabled stays so, and is refused because it was not tested.
  return isDraft && status !== "ENABLED" ? { ...after, status: "DRAFT" } : after;
}

const isOtherProvider = (before: StoredConnection, after: StoredConnection) =>
  before.issuer !== after.issuer || before.clientId !== after.clientId;

const hasOtherClaims = (before: StoredConnection, after: StoredConnection) =>
  changedFields(before.claims, after.claims) !== null || before.scopes !== after.scopes;

/** Whether the same subject may be another person after a change. */
const isOtherPerson = (before: StoredConnection, after: StoredConnection) =>
  isOtherProvider(before, after) || before.claims.subject !== after.claims.subject;

/** What the audit log shows of a change, which leaves the other columns as they are. */
const shownOf = ({ clientSecret: _, ...shown }: StoredConnection) => shown;

/** Only what was tested since its last change is enabled; read after the change, under the lock. */
async function assertTested({ db, actor }: Tx<OrganizationCall>, id: string): Promise<void> {
  const { isTested } = exactlyOne(await queries.isTested.run({ id, userId: actor.id }, db));
  if (!isTested) throw connectionNotTested();
}
