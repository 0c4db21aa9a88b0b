import type { z } from "zod";
import {
  audit,
  changedFields,
  conflict,
  exactlyOne,
  notFound,
  type SignedInCall,
  sizeLimitReached,
  type Tx,
  tokenHash,
  validationFailed,
} from "#kit";
import { withEndedApps, withoutUndefined } from "#kit/inside";
import * as queries from "#sql/oauth-clients";
import { appSecret } from "../../../core/access/token-forms.ts";
import { endGrants } from "../grants/end.ts";
import { getClient, type Owner } from "./read.ts";
import { NEEDS_HTTPS, plainRedirects } from "./redirects.ts";
import type { CreateOAuthClientBody, RotateClientSecretBody, UpdateOAuthClientBody } from "./schemas.ts";

const MAX_OF_ORGANIZATION = 50;
const MAX_OF_OPERATOR = 200;

const targetOf = ({ organizationId }: Owner, id: string) => ({
  organizationId,
  target: { type: "oauth_client", id } as const,
});
const hostsOf = (redirects: string[]) => [...new Set(redirects.map((text) => new URL(text).host))];

/* Writes of registered clients. Call each after `begin` of kinds.ts, which authorizes and takes the lock. */

/** Registers a client; a confidential one gets a secret. @throws sizeLimitReached */
export async function createClient(
  tx: Tx<SignedInCall>,
  owner: Owner,
  body: z.output<typeof CreateOAuthClientBody>,
) {
  const { name, redirectUris, confidential } = body;
  const max = owner.organizationId === null ? MAX_OF_OPERATOR : MAX_OF_ORGANIZATION;
  if (exactlyOne(await queries.countLiveOauthClients.run(owner, tx.db)).count >= max)
    throw sizeLimitReached(`There are at most ${max} registered apps`, max);
  const clientSecret = confidential ? appSecret("s") : null;
  const values = {
    ...owner,
    name,
    redirectUris,
    isConfidential: confidential,
    secretHash: clientSecret === null ? null : tokenHash(clientSecret),
    createdById: tx.actor.userId,
  };
  const { id } = exactlyOne(await queries.insertOauthClient.run(values, tx.db));
  await audit(tx, "OAUTH_CLIENT_CREATED", {
    ...targetOf(owner, id),
    metadata: { name, redirectHosts: hostsOf(redirectUris), confidential },
  });
  return { ...(await getClient(tx.db, owner, id)), clientSecret };
}

/**
 * Changes a client. While it is disabled, people cannot connect it and its tokens are refused.
 * @throws notFound; validationFailed for a confidential client with a redirect that is not https
 */
export async function updateClient(
  tx: Tx,
  owner: Owner,
  id: string,
  change: z.output<typeof UpdateOAuthClientBody>,
) {
  const client = await getClient(tx.db, owner, id);
  if (client.confidential) assertSecure(change.redirectUris ?? []);
  const { name, redirectUris, enabled } = client;
  const before = { name, redirectUris, enabled };
  const after = { ...before, ...withoutUndefined(change) };
  const changed = changedFields(before, after);
  if (changed === null) return client;
  const { enabled: isEnabled, ...texts } = after;
  await queries.updateOauthClient.run({ ...owner, id, ...texts, isEnabled }, tx.db);
  await audit(tx, "OAUTH_CLIENT_UPDATED", {
    ...targetOf(owner, id),
    metadata: { from: auditable(changed.from), to: auditable(changed.to) },
  });
  return getClient(tx.db, owner, id);
}

function assertSecure(redirects: string[]): void {
  const paths = plainRedirects(redirects).map((index) => `redirectUris.${index}`);
  if (paths.length > 0)
    throw validationFailed(paths.map((path) => ({ path, message: `${path} ${NEEDS_HTTPS}` })));
}

/** Paths and queries of redirects are not audited. */
const auditable = ({ redirectUris, ...fields }: Partial<z.output<typeof UpdateOAuthClientBody>>) => ({
  ...(fields.name !== undefined && { name: fields.name }),
  ...(redirectUris !== undefined && { redirectHosts: hostsOf(redirectUris) }),
  ...(fields.enabled !== undefined && { enabled: fields.enabled }),
});

/** Deletes a client and ends its grants in every organization. @throws notFound */
export async function deleteClient(tx: Tx, owner: Owner, id: string): Promise<void> {
  const [deleted] = await queries.deleteOauthClient.run({ ...owner, id }, tx.db);
  if (deleted === undefined) throw notFound();
  const grants = await queries.listGrantsOfClient.run({ clientId: id }, tx.db);
  const endedApps = await endGrants(tx, grants, "client");
  await audit(tx, "OAUTH_CLIENT_DELETED", {
    ...targetOf(owner, id),
    metadata: { name: deleted.name, ...withEndedApps(endedApps) },
  });
}

/**
 * Gives a confidential client another secret. The one until now works during the overlap, a still older one ends at once.
 * @throws notFound; conflict for a client without a secret
 */
export async function rotateSecret(
  tx: Tx,
  owner: Owner,
  id: string,
  { overlapSeconds }: z.output<typeof RotateClientSecretBody>,
) {
  if (!(await getClient(tx.db, owner, id)).confidential) throw conflict();
  const clientSecret = appSecret("s");
  const values = { ...owner, id, overlapSeconds, secretHash: tokenHash(clientSecret) };
  const { endsAt } = exactlyOne(await queries.rotateOauthClientSecret.run(values, tx.db));
  const previousSecretEndsAt = endsAt.toISOString();
  await audit(tx, "OAUTH_CLIENT_SECRET_ROTATED", {
    ...targetOf(owner, id),
    metadata: { endsAt: previousSecretEndsAt },
  });
  return { clientSecret, previousSecretEndsAt };
}
