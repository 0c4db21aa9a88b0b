import { exactlyOne, type OrganizationCall, type Tx } from "#kit";
import { connectionFor } from "#kit/inside";
import * as queries from "#sql/sign-on-policy";
import { ssoRequired } from "../../core/access/sign-on-errors.ts";

/**
 * Checks that a person with this address could act in the organization: with the scope `everyone`, in effect or announced, an address
 * outside of its domains is shut out.
 * @throws ssoRequired
 */
export async function assertNotShutOut(tx: Tx<OrganizationCall>, email: string): Promise<void> {
  if (!tx.app.config.sso) return;
  const { organizationId } = tx;
  const { isShutOut } = exactlyOne(await queries.isAddressShutOut.run({ organizationId, email }, tx.db));
  if (isShutOut) throw ssoRequired(await connectionFor(tx, tx.actor.id, organizationId));
}
