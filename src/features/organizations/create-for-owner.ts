import type { z } from "zod";
import {
  audit,
  authorizePlatformAdmin,
  event,
  ORG_ADMIN,
  type SignedInCall,
  type Tx,
  validationFailed,
} from "#kit";
import { type BuiltInRole, builtInRoles } from "#kit/inside";
import { emailUnavailable } from "../../core/accounts/errors.ts";
import { findEmailHolder } from "../../core/accounts/registration.ts";
import { issueInvitation, prepareInvitation } from "../invitations/issue.ts";
import { invitationForEvent } from "../invitations/read.ts";
import { insertOrganization } from "./create-own.ts";
import { slugTaken } from "./errors.ts";
import { showPlatformOrganization } from "./platform.ts";
import type { CreateOrganizationBody } from "./schemas.ts";

/**
 * Creates an organization, and invites its first administrator in the same transaction.
 * @throws forbidden; validationFailed for an unknown role; emailUnavailable for a deleted account; slugTaken
 */
export async function createOrganization(
  tx: Tx<SignedInCall>,
  body: z.output<typeof CreateOrganizationBody>,
) {
  const { name, ownerEmail: email } = body;
  const roles = ownerRoles(body.ownerRoleIds);
  const prepared = await prepareInvitation(tx, body.language ?? null);
  await authorizePlatformAdmin(tx);
  const organization = { name, slug: body.slug ?? null, origin: "PLATFORM", foundedById: null } as const;
  const id = await insertOrganization(tx, organization);
  if (id === null) throw slugTaken();

  if ((await findEmailHolder(tx.db, email))?.isDeleted) throw emailUnavailable();

  await audit(tx, "ORGANIZATION_CREATED", { target: { type: "organization", id }, metadata: { name } });
  const assignments = roles.map((role) => ({
    roleId: role.id,
    roleName: role.name,
    permissions: role.permissions,
    unitId: null,
    unitName: null,
  }));
  const about = { organizationId: id, organizationName: name, email };
  const invitation = { ...about, assignments, superseded: null, mailAt: null };
  await issueInvitation(tx, { ...prepared, ...invitation });
  await event(tx, "invitation.created", {
    organizationId: id,
    id: prepared.id,
    object: () => invitationForEvent(tx.db, id, prepared.id),
    reach: "organization",
  });
  return showPlatformOrganization(tx, id);
}

/** Returns the owner's roles, all built-in: a new organization has no custom roles yet. @throws validationFailed */
function ownerRoles(ids: string[] = [ORG_ADMIN.id]): BuiltInRole[] {
  const roles = ids.map((id) => builtInRoles.find((role) => role.id === id));
  const problems = roles.flatMap((role, index) => {
    const path = `ownerRoleIds.${index}`;
    return role === undefined ? [{ path, message: `${path} must be an existing role` }] : [];
  });
  if (problems.length > 0) throw validationFailed(problems);
  return [...new Set(roles.filter((role) => role !== undefined))];
}
