import { type SignedInCall, sizeLimitReached, type Tx } from "#kit";
import * as queries from "#sql/oauth-authorize";
import { endGrants } from "../grants/end.ts";
import { tellRevoked } from "../grants/tell.ts";

const MAX_GRANTS = 50;
const MAX_OF_ONE_KIND = 5;

type Kind = { organizationId: string; clientId: string; resource: string };

/**
 * Makes room for one more grant of an account: ends the least recently used one if there are five of the same app, resource and
 * organization. Call under the person's lock. @throws sizeLimitReached if the account has 50 grants
 */
export async function makeRoom(tx: Tx<SignedInCall>, kind: Kind): Promise<void> {
  const { userId } = tx.actor;
  const live = await queries.listLiveGrants.run({ userId }, tx.db);
  if (live.length >= MAX_GRANTS)
    throw sizeLimitReached(`An account can have at most ${MAX_GRANTS} connected apps`, MAX_GRANTS);
  const same = live.filter(
    (grant) =>
      grant.organizationId === kind.organizationId &&
      grant.clientId === kind.clientId &&
      grant.resource === kind.resource,
  );
  const replaced = same.slice(0, Math.max(0, same.length + 1 - MAX_OF_ONE_KIND));
  await endGrants(tx, replaced, "replaced");
  for (const { id } of replaced) await tellRevoked(tx, id, "replaced");
}
