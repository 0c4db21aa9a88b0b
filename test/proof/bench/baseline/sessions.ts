import { verify } from "@node-rs/argon2";
import type { SQL } from "bun";
import { type Claims, digest, newSecret } from "./tokens.ts";

/** Returns the query of a user's active organization and the permissions there, as one JSON column. */
const active = (userId: string, preferredId: string) => `
  SELECT o.id, json_build_object('id', o.id, 'name', o.name, 'slug', o.slug) AS organization,
    (SELECT json_agg(json_build_object('role', r.name, 'permissions', r.permissions, 'unit', a.unit_id) ORDER BY r.name, a.id)
     FROM membership_assignments a JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted
     WHERE a.membership_id = m.id) AS grants
  FROM memberships m JOIN organizations o ON o.id = m.organization_id AND o.status = 'ACTIVE' AND NOT o.is_deleted
  WHERE m.user_id = ${userId} AND NOT m.is_deleted
  ORDER BY m.organization_id = ${preferredId} DESC NULLS LAST, m.joined_at, m.id LIMIT 1`;

const FIND = `
  SELECT u.id, u.password_hash AS hash, u.is_platform_admin, u.email_verified_at IS NOT NULL AS is_verified,
    u.two_factor_enabled_at IS NOT NULL AS has_two_factor, home.id AS organization_id, home.organization, home.grants
  FROM users u LEFT JOIN LATERAL (${active("u.id", "u.last_organization_id")}) home ON true
  WHERE u.email = $1 AND NOT u.is_deleted`;

/** The statement that inserts a session with its proof, deletes expired sessions and those beyond ten, and records the sign-in. */
const START = `
  WITH who AS (
    SELECT id FROM users WHERE id = $1 AND password_hash = $2 AND NOT is_deleted
  ), ended AS (
    DELETE FROM refresh_tokens USING who WHERE user_id = who.id AND (expires_at <= now() OR session_id IN (
      SELECT session_id FROM refresh_tokens WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > now()
      ORDER BY created_at DESC, id DESC OFFSET 9))
  ), event AS (
    INSERT INTO audit_events (action, actor_id, target_type, target_id, ip, request_id, subject_user_id)
    SELECT 'LOGIN_SUCCEEDED', id, 'user', id, $5, $6, id FROM who
  ), started AS (
    INSERT INTO refresh_tokens (session_id, user_id, token_hash, organization_id, expires_at, ip)
    SELECT uuidv7(), id, $3, $4::uuid, now() + interval '7 days', $5 FROM who
    RETURNING session_id, user_id
  ), proven AS (
    INSERT INTO session_proofs (session_id, user_id, kind, factors, amr)
    SELECT session_id, user_id, 'password', 1, '{pwd}' FROM started
    RETURNING proved_at
  )
  SELECT session_id, json_build_object('auth_time', floor(extract(epoch FROM proved_at))::int, 'amr', '{pwd}'::text[],
    'acr', '1') AS proof FROM started, proven`;

const ROTATE = `
  WITH revoked AS (
    UPDATE refresh_tokens t SET revoked_at = now(), replaced_by_id = uuidv7()
    FROM users u
    WHERE t.token_hash = $1 AND t.revoked_at IS NULL AND t.expires_at > now() AND u.id = t.user_id AND NOT u.is_deleted
    RETURNING t.replaced_by_id AS id, t.session_id, t.user_id, t.session_started_at, t.proof, u.is_platform_admin,
      COALESCE(t.organization_id, u.last_organization_id) AS preferred_id
  ), continued AS (
    SELECT revoked.*, home.id AS organization_id, home.organization, home.grants
    FROM revoked LEFT JOIN LATERAL (${active("revoked.user_id", "revoked.preferred_id")}) home ON true
  ), successor AS (
    INSERT INTO refresh_tokens
      (id, session_id, user_id, token_hash, organization_id, expires_at, session_started_at, ip, proof)
    SELECT id, session_id, user_id, $2, organization_id, now() + interval '7 days', session_started_at, $3, proof FROM continued
  )
  SELECT user_id, session_id, is_platform_admin, organization, grants, proof FROM continued`;

type Grant = { role: string; permissions: string[]; unit: string | null };
type ActiveOrganization = {
  is_platform_admin: boolean;
  organization: Claims["organization"];
  grants: Grant[] | null;
};
type SessionProof = Pick<Claims, "auth_time" | "amr" | "acr">;
type Sign = (claims: Omit<Claims, "exp">) => string;

/**
 * Signs in with two statements (before and after the password hash), and refreshes with one. Returns null if the
 * credentials are rejected.
 */
export function sessions(sql: SQL, sign: Sign) {
  type Session = { session_id: string; proof: SessionProof };
  const handOut = (
    sub: string,
    { session_id: sid, proof }: Session,
    home: ActiveOrganization,
    secret: string,
  ) =>
    Response.json(
      { accessToken: sign({ sub, sid, ...proof, ...claimsOf(home) }) },
      {
        headers: {
          "set-cookie": `refresh_token=${secret}; Path=/api/auth; Max-Age=604800; HttpOnly; SameSite=Lax`,
        },
      },
    );
  return {
    async login(email: string, password: string, ip: string): Promise<Response | null> {
      const [user] = await sql.unsafe(FIND, [email]);
      if (user === undefined || !(await verify(user.hash, password))) return null;
      if (!user.is_verified || user.has_two_factor) return null;
      const secret = newSecret();
      const values = [user.id, user.hash, digest(secret), user.organization_id, ip, crypto.randomUUID()];
      const [session] = await sql.unsafe(START, values);
      return session === undefined ? null : handOut(user.id, session, user, secret);
    },
    async refresh(cookie: string, ip: string): Promise<Response | null> {
      const secret = newSecret();
      const [row] = await sql.unsafe(ROTATE, [digest(cookie), digest(secret), ip]);
      return row === undefined ? null : handOut(row.user_id, row, row, secret);
    },
  };
}

/**
 * Returns the claims of a token. They contain no permissions in units, because the benchmark's users have no roles
 * in units.
 */
function claimsOf({
  is_platform_admin,
  organization,
  grants,
}: ActiveOrganization): Omit<Claims, "sub" | "sid" | "exp" | keyof SessionProof> {
  const held = grants ?? [];
  if (held.some(({ unit }) => unit !== null)) throw new Error("A role in a unit is beyond the baseline");
  return {
    isPlatformAdmin: is_platform_admin,
    organization,
    roles: held.map(({ role }) => role),
    permissions: [...new Set(held.flatMap(({ permissions }) => permissions))],
    unitGrants: [],
  };
}
