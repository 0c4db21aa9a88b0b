import type { Service } from "../../../support/service.ts";

/** Tables of which only some columns are compared: tests and attempts change when an endpoint is due. */
const COMPARED_PARTS: Record<string, string> = {
  webhook_endpoints:
    "(SELECT id, organization_id, url, description, event_types, is_enabled, secret, is_deleted FROM webhook_endpoints)",
  // A check of a verified domain changes when DNS last said so.
  organization_domains: `(SELECT id, organization_id, domain, value, status, connection_id, join_mode FROM organization_domains)`,
  sso_identities: "(SELECT id, connection_id, user_id, subject, email FROM sso_identities)",
  // An app that calls, and a redemption, change when it was last used and redeemed.
  oauth_grants: `(SELECT id, organization_id, user_id, unit_id, client_id, resource, scopes, expires_at, ended_at IS NOT NULL AS has_ended
    FROM oauth_grants)`,
  // Tests, sign-ins and failures of the provider change when a connection last worked.
  sso_connections: `(SELECT id, organization_id, name, status, issuer, client_id, client_secret, scopes, claims, provisioning,
    second_factor, version, tested_version, is_deleted FROM sso_connections)`,
};

/**
 * Reads the rows of an organization that only its members may change, without those of one user. Returns one text
 * for each table.
 */
export async function readTableRows(
  t: Service,
  organizationId: string,
  excludedUserId: string,
): Promise<Record<string, string>> {
  const conditions = {
    organizations: "id = $1",
    organization_subscriptions: "organization_id = $1",
    units: "organization_id = $1",
    roles: "organization_id = $1",
    memberships: "organization_id = $1 AND user_id <> $2",
    membership_assignments:
      "organization_id = $1 AND membership_id NOT IN (SELECT id FROM memberships WHERE user_id = $2)",
    membership_units: "organization_id = $1 AND user_id <> $2",
    user_invitations: "organization_id = $1",
    webhook_endpoints: "organization_id = $1",
    organization_domains: "organization_id = $1",
    organization_domain_assignments: "organization_id = $1",
    sso_connections: "organization_id = $1",
    sso_connection_assignments: "organization_id = $1",
    sso_identities: "connection_id IN (SELECT id FROM sso_connections WHERE organization_id = $1)",
    sso_mappings: "organization_id = $1",
    sign_on_setup_links: "organization_id = $1",
    sign_on_policies: "organization_id = $1",
    break_glass_members: "organization_id = $1",
    join_requests: "organization_id = $1",
    oauth_clients: "organization_id = $1",
    oauth_approved_apps: "organization_id = $1",
    oauth_grants: "organization_id = $1 AND user_id <> $2",
    event_outbox: "organization_id = $1",
    todos: "organization_id = $1 AND user_id <> $2",
    tickets: "organization_id = $1 AND reporter_id <> $2",
    ticket_messages: "ticket_id IN (SELECT id FROM tickets WHERE organization_id = $1 AND reporter_id <> $2)",
    // The events of rejected API keys are left out.
    audit_events:
      "organization_id = $1 AND action <> 'API_KEY_REFUSED' AND actor_id IS DISTINCT FROM $2::uuid",
    users:
      "id <> $2 AND id IN (SELECT user_id FROM memberships WHERE organization_id = $1) AND $1::uuid IS NOT NULL",
  };
  const queries = Object.entries(conditions).map(
    ([table, where]) =>
      `SELECT '${table}' AS name, coalesce(string_agg(row::text, E'\\n' ORDER BY row::text), '') AS rows
       FROM ${COMPARED_PARTS[table] ?? table} row WHERE ${where.includes("$2") ? where : `${where} AND $2::uuid IS NOT NULL`}`,
  );
  const tables = await t.sql<{ name: string; rows: string }>(queries.join(" UNION ALL "), [
    organizationId,
    excludedUserId,
  ]);
  return Object.fromEntries(tables.map(({ name, rows }) => [name, rows]));
}
