import type { Service } from "../../support/service.ts";

/** Of every organization, how many members connected apps, and how many apps each: more than anybody may, for the plans. */
const GRANTS_OF_MEMBER = 4;

/** An app of the operator, with many grants, and one of an organization, with few. */
export type SeededClients = { operators: string; own: string };

/**
 * Inserts connected apps of members, four of each: one of every organization's own clients, one of the operator's, two that documents
 * describe; a third of them has ended.
 */
export async function seedGrants(t: Service, organizationId: string): Promise<SeededClients> {
  await t.sql(
    `INSERT INTO oauth_clients (organization_id, name, redirect_uris, is_confidential)
     SELECT o.id, 'App ' || n, ARRAY['https://app.example.com/callback'], false
     FROM (SELECT id FROM organizations UNION ALL SELECT NULL) o (id) CROSS JOIN generate_series(1, 3) n`,
  );
  const [clients = { operators: "", own: "" }] = await t.sql<SeededClients>(
    `SELECT (SELECT min(id::text) FROM oauth_clients WHERE organization_id IS NULL) AS operators,
       (SELECT min(id::text) FROM oauth_clients WHERE organization_id = $1) AS own`,
    [organizationId],
  );
  await t.sql(
    `INSERT INTO oauth_grants (user_id, organization_id, client_id, oauth_client_id, client_name, client_host, redirect_uri, resource, scopes,
       acr, request_id, redeemed_at, expires_at, ended_at, end_reason)
     SELECT m.user_id, m.organization_id, COALESCE(c.id::text, 'https://agent.example.com/client.json'), c.id, 'Agent',
       CASE WHEN c.id IS NULL THEN 'agent.example.com' END, 'https://agent.example.com/callback', 'mcp', '{todos:read}', '1', gen_random_uuid(), now(),
       now() + interval '30 days', CASE WHEN hashint4(n::int) % 3 = 0 THEN now() END, CASE WHEN hashint4(n::int) % 3 = 0 THEN 'person' END
     FROM (SELECT user_id, organization_id, row_number() OVER () AS n FROM memberships WHERE NOT is_deleted) m
     CROSS JOIN generate_series(1, $1::int) nth
     LEFT JOIN LATERAL (
       SELECT id FROM oauth_clients
       WHERE nth = 1 AND organization_id = m.organization_id OR nth = 2 AND organization_id IS NULL ORDER BY id LIMIT 1
     ) c ON true`,
    [GRANTS_OF_MEMBER],
  );
  await t.sql(
    `INSERT INTO oauth_approved_apps (organization_id, app)
     SELECT o.id, 'app' || n || '.example.com' FROM organizations o CROSS JOIN generate_series(1, 5) n`,
  );
  await t.sql("ANALYZE oauth_clients, oauth_grants, oauth_approved_apps");
  return clients;
}
