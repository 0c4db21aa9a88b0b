import { type Caller, claimsOf } from "./caller.ts";
import { type Organization, roleId } from "./organizations.ts";
import { idOf } from "./outcomes.ts";
import type { Service } from "./service.ts";

/** The environment of a service with single sign-on. */
export const SIGN_ON = {
  SSO: "on",
  CONNECTION_ENCRYPTION_KEY: "a key of connections with 32 characters or more",
};

const CLAIMS = {
  subject: "sub",
  email: "email",
  firstName: "given_name",
  lastName: "family_name",
  groups: "groups",
};

const sessionIdOf = ({ accessToken }: Caller): string => claimsOf(accessToken ?? "").sid;

/** Inserts a connection of an organization without a provider; returns its id. */
export async function insertConnection(
  t: Service,
  { id }: Organization,
  status = "ENABLED",
): Promise<string> {
  const [row] = await t.sql(
    `INSERT INTO sso_connections (organization_id, name, status, issuer, client_id, claims)
     VALUES ($1, 'Acme', $2, 'https://id.example.com', 'client', $3) RETURNING id`,
    [id, status, CLAIMS],
  );
  return row?.id as string;
}

/** Links a person to a connection, and adds a proof by it to the person's session. */
export async function proveBy(
  t: Service,
  person: Caller,
  connectionId: string,
  { factors = 1, minutesAgo = 0 } = {},
): Promise<void> {
  await t.sql(
    `INSERT INTO sso_identities (connection_id, user_id, subject, email, linked_at)
     VALUES ($1, $2, $3, $4, now() - interval '30 days') ON CONFLICT DO NOTHING`,
    [connectionId, idOf(person), crypto.randomUUID(), person.email],
  );
  await t.sql(
    `INSERT INTO session_proofs (session_id, kind, connection_id, user_id, factors, proved_at)
     VALUES ($1, 'sso', $2, $3, $4, now() - make_interval(mins => $5))
     ON CONFLICT ON CONSTRAINT session_proofs_one_of_a_kind DO UPDATE SET factors = EXCLUDED.factors, proved_at = EXCLUDED.proved_at`,
    [sessionIdOf(person), connectionId, idOf(person), factors, minutesAgo],
  );
}

/** Makes the session of a person one that was only proven by a connection. */
export async function confine(
  t: Service,
  person: Caller,
  connectionId: string,
  options: { factors?: number; minutesAgo?: number } = {},
): Promise<void> {
  await proveBy(t, person, connectionId, options);
  await t.sql("DELETE FROM session_proofs WHERE session_id = $1 AND kind <> 'sso'", [sessionIdOf(person)]);
}

/** Gives people a role by a connection, without a sign-in. */
export const giveBy = (
  t: Service,
  { id }: Organization,
  connectionId: string,
  { role, unit = null }: { role: string; unit?: string | null },
  ...people: Caller[]
) =>
  t.sql(
    `INSERT INTO membership_assignments (membership_id, role_id, unit_id, source, connection_id)
     SELECT id, $2, $3, 'sso', $4 FROM memberships WHERE organization_id = $1 AND user_id = ANY ($5::uuid[])`,
    [id, roleId(role), unit, connectionId, `{${people.map(idOf).join(",")}}`],
  );

/** Makes people break-glass members of an organization without a request. */
export const addBreakGlass = (t: Service, { id }: Organization, ...people: Caller[]) =>
  t.sql("INSERT INTO break_glass_members (organization_id, user_id) SELECT $1, unnest($2::uuid[])", [
    id,
    `{${people.map(idOf).join(",")}}`,
  ]);

/** Changes columns of a connection without a request, such as `status = 'DISABLED'`. */
export const setConnection = (t: Service, id: string, change: string) =>
  t.sql(`UPDATE sso_connections SET ${change} WHERE id = $1`, [id]);

/** Changes the status of an organization's domains without a request. */
export const setDomains = (t: Service, { id }: Organization, status: string) =>
  t.sql("UPDATE organization_domains SET status = $2 WHERE organization_id = $1", [id, status]);

/** Suspends an organization without a request, or makes it active again. */
export const setStatus = (t: Service, { id }: Organization, status: "SUSPENDED" | "ACTIVE") =>
  t.sql("UPDATE organizations SET status = $2 WHERE id = $1", [id, status]);

/** Stores the policy of an organization without a request. */
export async function setPolicy(
  t: Service,
  { id }: Organization,
  policy: { scope?: string; two_factor?: boolean; hours?: number | null; minutes?: number | null } = {},
): Promise<void> {
  const { scope = "off", two_factor: twoFactor = false, hours = null, minutes = null } = policy;
  await t.sql(
    `INSERT INTO sign_on_policies (organization_id, scope, require_two_factor, max_session_hours, reauthentication_minutes)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (organization_id) DO UPDATE SET scope = $2, require_two_factor = $3, max_session_hours = $4,
       reauthentication_minutes = $5, announced_scope = NULL, announced_two_factor = NULL, enforce_from = NULL`,
    [id, scope, twoFactor, hours, minutes],
  );
}
