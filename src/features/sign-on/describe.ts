import type { Queryable } from "#kit";
import { listConnectionsChangedSince } from "#sql/sso-connections";

/** Returns a line for each connection that was changed at a time or later, for the operator after a restore. */
export async function describeConnectionsSince(db: Queryable, time: Date): Promise<string[]> {
  const connections = await listConnectionsChangedSince.run({ time }, db);
  return connections.map(
    ({ organization, name, status, issuer }) =>
      `Connection changed since: ${name} of ${organization} (${status}, ${issuer})`,
  );
}
