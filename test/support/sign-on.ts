import { type Caller, claimsOf } from "./caller.ts";
import type { Organization } from "./organizations.ts";
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
