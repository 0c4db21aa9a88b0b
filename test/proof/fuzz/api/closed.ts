import type { Service } from "../../../support/service.ts";

/** Every row of an organization that only its own members may change, as one text for each table. */
export async function fingerprint(
  t: Service,
  organizationId: string,
  readerId: string,
): Promise<Record<string, string>> {
  const of = {
    organizations: "id = $1",
    organization_subscriptions: "organization_id = $1",
    units: "organization_id = $1",
    roles: "organization_id = $1",
    memberships: "organization_id = $1 AND user_id <> $2",
    membership_assignments:
      "organization_id = $1 AND membership_id NOT IN (SELECT id FROM memberships WHERE user_id = $2)",
    membership_units: "organization_id = $1 AND user_id <> $2",
    user_invitations: "organization_id = $1",
    todos: "organization_id = $1 AND user_id <> $2",
    tickets: "organization_id = $1 AND reporter_id <> $2",
    ticket_messages: "ticket_id IN (SELECT id FROM tickets WHERE organization_id = $1 AND reporter_id <> $2)",
    audit_events: "organization_id = $1 AND actor_id IS DISTINCT FROM $2::uuid",
    users:
      "id <> $2 AND id IN (SELECT user_id FROM memberships WHERE organization_id = $1) AND $1::uuid IS NOT NULL",
  };
  const parts = Object.entries(of).map(
    ([table, where]) =>
      `SELECT '${table}' AS name, coalesce(string_agg(row::text, E'\\n' ORDER BY row::text), '') AS rows
       FROM ${table} row WHERE ${where.includes("$2") ? where : `${where} AND $2::uuid IS NOT NULL`}`,
  );
  const found = await t.sql<{ name: string; rows: string }>(parts.join(" UNION ALL "), [
    organizationId,
    readerId,
  ]);
  return Object.fromEntries(found.map(({ name, rows }) => [name, rows]));
}
