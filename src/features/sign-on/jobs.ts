import { type JobKind, mail, type Service, systemCall, type Tx, transaction } from "#kit";
import * as queries from "#sql/sso-connections";
import { tellHolders } from "../notifications/tell-holders.ts";

/** How many connections a transaction of the job is about. */
const CONNECTIONS_AT_ONCE = 20;
const permission = "SingleSignOn.Update";

/** A job that tells the administrators of connections what they have to do (rules 41.12). */
export const connectionJobs: JobKind<Service>[] = [
  {
    queue: "connections.watch",
    schedule: "* * * * *",
    concurrency: 1,
    async run(service) {
      if (!service.app.config.sso) return;
      for (const tell of [tellOfFailing, tellOfExpiring])
        while ((await transaction(systemCall(service), tell)) === CONNECTIONS_AT_ONCE);
    },
  },
];

async function tellOfFailing(tx: Tx): Promise<number> {
  const failing = await queries.takeFailingConnections.run({ max: CONNECTIONS_AT_ONCE }, tx.db);
  for (const { id: connectionId, organizationId, name, code } of failing)
    await tellHolders(
      tx,
      { organizationId, permission },
      ["CONNECTION_FAILING", { organizationId, connectionId, name, code }],
      (to, organizationName) =>
        mail(tx, { kind: "connectionFailing", ...to, data: { name, organizationName } }),
    );
  return failing.length;
}

async function tellOfExpiring(tx: Tx): Promise<number> {
  const expiring = await queries.takeExpiringSecrets.run({ max: CONNECTIONS_AT_ONCE }, tx.db);
  for (const { id: connectionId, organizationId, name, ...secret } of expiring) {
    const expiresAt = secret.expiresAt.toISOString();
    await tellHolders(
      tx,
      { organizationId, permission },
      ["CONNECTION_SECRET_EXPIRING", { organizationId, connectionId, name, expiresAt }],
      (to, organizationName) =>
        mail(tx, { kind: "connectionSecretExpiring", ...to, data: { name, organizationName, expiresAt } }),
    );
  }
  return expiring.length;
}
