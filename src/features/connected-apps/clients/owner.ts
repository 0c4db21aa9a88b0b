import { authorize, authorizePlatformAdmin, type OrganizationCall, type SignedInCall, type Tx } from "#kit";
import { lockPlatform } from "#kit/inside";

/** Whose clients: those of an organization or, with null, of the operator. */
export type Owner = { organizationId: string | null };

/**
 * Begins a write of the clients of an organization, and takes its lock. `takesAway` also works in a suspended organization.
 * @throws the errors of `authorize`
 */
export async function ofOrganization(
  tx: Tx<OrganizationCall>,
  { takesAway = false }: { takesAway?: boolean } = {},
): Promise<Owner> {
  await authorize(tx, "Organization.Update", takesAway ? { worksInSuspended: true } : {});
  return { organizationId: tx.organizationId };
}

/** Begins a write of the operator's clients, under the platform's lock. @throws forbidden, unauthenticated */
export async function ofOperator(tx: Tx<SignedInCall>): Promise<Owner> {
  await lockPlatform(tx);
  await authorizePlatformAdmin(tx);
  return { organizationId: null };
}
