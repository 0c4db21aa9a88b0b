type Row = Record<string, unknown>;

const PAST = "2026-01-01T00:00:00Z";
const LATER = "2099-01-01T00:00:00Z";
const made = { created_at: PAST };
const changed = { ...made, updated_at: PAST };
const live = { is_deleted: false };

const CLAIMS = {
  ...{ subject: "sub", email: "email", firstName: "given_name", lastName: "family_name", groups: "groups" },
};

/** The tables in an order in which rows can be inserted, with default column values. */
const TABLES = {
  users: { ...changed, ...live, first_name: "Ada", language: "EN", email_verified_at: PAST },
  organizations: { ...changed, ...live, status: "ACTIVE", origin: "PLATFORM" },
  organization_subscriptions: {
    ...{ ...changed, plan_override: "enterprise", cancel_at_period_end: false },
    ...{ version: 0, customer_attempt: 0 },
  },
  units: { ...changed, ...live },
  roles: { ...changed, ...live },
  memberships: { ...live, joined_at: PAST },
  sso_connections: {
    ...changed,
    ...live,
    status: "ENABLED",
    client_id: "service",
    claims: CLAIMS,
    provisioning: "none",
  },
  sso_connection_assignments: {},
  sso_identities: { linked_at: PAST, last_sign_in_at: PAST, groups: [] },
  sso_mappings: made,
  sign_on_setup_links: { ...made, expires_at: LATER },
  sso_tests: { ...made, tested_version: 1, expires_at: LATER },
  sign_on_policies: { updated_at: PAST, scope: "off", require_two_factor: false, version: 1 },
  break_glass_members: made,
  organization_domains: { ...made, status: "PENDING", join_mode: "off" },
  organization_domain_assignments: {},
  join_requests: { ...made, expires_at: LATER },
  membership_assignments: { ...made, source: "manual", connection_id: null },
  membership_units: { ...made, ...live },
  service_accounts: { ...changed, ...live, description: "", is_enabled: true, last_used_at: PAST },
  service_account_assignments: made,
  api_keys: { ...made, name: "CI", start: "mosk_abcd", last_used_at: PAST },
  webhook_endpoints: {
    ...{ ...changed, ...live, description: "", event_types: ["*"], is_enabled: true },
    ...{ failure_count: 0, hour_attempts: 0, created_by_type: "user" },
  },
  events: { occurred_at: PAST, recorded_at: PAST, reach_match: "any", reach_paths: [] },
  event_sequences: { oldest_kept: 1, epoch: 1 },
  webhook_deliveries: {
    ...{ ...made, event_recorded_at: PAST, state: "SUCCEEDED" },
    ...{ attempt_count: 1, failed_tries: 0, is_resend: false },
  },
  webhook_attempts: { delivery_created_at: PAST, number: 1, started_at: PAST, duration_ms: 20 },
  todos: { ...changed, ...live, completed: false },
  tickets: { ...made, ...live, category: "BUG", status: "OPEN", last_activity_at: PAST },
  ticket_messages: made,
  user_invitations: {
    ...made,
    ...live,
    language: "EN",
    expires_at: LATER,
    last_sent_at: PAST,
  },
  user_invitation_assignments: {},
  user_invitation_sends: {},
  audit_events: { time: PAST, subject_unit_ids: [], is_above_units: false },
  notifications: { ...made, ...live, type: "WELCOME", data: {} },
  email_verification_tokens: { ...made, ...live, expires_at: LATER },
  password_reset_tokens: { ...made, ...live, expires_at: LATER },
  two_factor_challenges: { ...made, expires_at: LATER },
  two_factor_secrets: made,
  two_factor_recovery_codes: made,
  user_identities: made,
  oauth_clients: { ...changed, ...live, is_enabled: true },
  oauth_client_documents: { fetched_at: PAST, fresh_until: LATER, last_requested_at: PAST },
  oauth_approved_apps: made,
  oauth_grants: { created_at: PAST, expires_at: LATER, last_used_ip: null, acr: "1" },
  oauth_codes: { expires_at: LATER },
  oauth_tokens: { ...made, expires_at: LATER },
  account_emails: { used_from: PAST, used_until: PAST },
  email_changes: { ...made, needs_old: true, old_confirmed_at: PAST, expires_at: LATER },
  passkeys: { ...made, rp_id: "app.test", algorithm: -7, sign_count: 0, transports: [], name: "Passkey 1" },
  refresh_tokens: { ...made, expires_at: LATER, session_started_at: PAST },
  session_proofs: { kind: "password", factors: 1, amr: ["pwd"], proved_at: PAST },
} satisfies Record<string, Row>;

const WITHOUT_ID = new Set<keyof typeof TABLES>([
  "two_factor_secrets",
  "two_factor_recovery_codes",
  "event_sequences",
  "webhook_attempts",
  "account_emails",
  "session_proofs",
  "oauth_client_documents",
  "oauth_codes",
  "oauth_tokens",
  "sso_connection_assignments",
  "sign_on_policies",
  "break_glass_members",
  "organization_domain_assignments",
]);

/** Collects rows, and inserts them with one statement per table. */
export class Rows {
  private readonly tables = new Map<string, Row[]>();

  /** Adds a row with the table's default values; returns its new id. All rows of a table must have the same columns. */
  put(table: keyof typeof TABLES, row: Row): string {
    const id = crypto.randomUUID();
    const isNamed = !WITHOUT_ID.has(table);
    const rows = this.tables.get(table) ?? [];
    rows.push({ ...(isNamed && { id }), ...TABLES[table], ...row });
    this.tables.set(table, rows);
    return id;
  }

  /** Inserts all rows in one simple query, so in one transaction. */
  async insert(t: { sql(text: string): Promise<unknown> }): Promise<void> {
    const statements = Object.keys(TABLES).flatMap((table) => {
      const rows = this.tables.get(table);
      if (rows === undefined) return [];
      const columns = Object.keys(rows[0] ?? {});
      return `INSERT INTO ${table} (${columns}) SELECT ${columns}
        FROM jsonb_populate_recordset(NULL::${table}, $rows$${JSON.stringify(rows)}$rows$)`;
    });
    await t.sql(statements.join(";\n"));
  }
}
