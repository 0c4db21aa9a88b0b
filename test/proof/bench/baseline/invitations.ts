import type { SQL } from "bun";
import { createCipher } from "../../../../src/platform/crypto.ts";
import { type Claims, digest, newSecret } from "./tokens.ts";

/**
 * The statement that replaces an earlier invitation of the address: inserts the new one, its role, the mail's job,
 * the record of a sent mail and the audit event.
 */
const INVITE = `
  WITH place AS (
    SELECT o.id AS organization_id, r.id AS role_id, r.name AS role_name, inviter.id AS inviter_id, inviter.email AS inviter_email
    FROM organizations o, roles r, users inviter
    WHERE o.id = $1 AND o.status = 'ACTIVE' AND NOT o.is_deleted AND inviter.id = $2 AND NOT inviter.is_deleted
      AND r.id = $5 AND NOT r.is_deleted AND (r.organization_id IS NULL OR r.organization_id = o.id)
      AND NOT EXISTS (SELECT FROM users u JOIN memberships m ON m.user_id = u.id AND NOT m.is_deleted
        WHERE u.email = $3 AND m.organization_id = o.id)
  ), superseded AS (
    UPDATE user_invitations SET is_deleted = true, deleted_at = now()
    WHERE organization_id = $1 AND email COLLATE "C" = $3 AND accepted_at IS NULL AND NOT is_deleted
      AND EXISTS (SELECT FROM place)
    RETURNING id
  ), invited AS (
    INSERT INTO user_invitations (organization_id, email, language, token_hash, expires_at, invited_by_id)
    SELECT organization_id, $3, 'EN', $4, now() + interval '7 days', inviter_id FROM place
    RETURNING id, organization_id, expires_at, last_sent_at, created_at
  ), granted AS (
    INSERT INTO user_invitation_assignments (invitation_id, role_id) SELECT invited.id, role_id FROM invited, place
  ), counted AS (
    INSERT INTO user_invitation_sends (organization_id, email) SELECT organization_id, $3 FROM invited
  ), job AS (
    INSERT INTO pgboss.job (name, data, retry_limit, retry_delay, retry_backoff, expire_seconds, deletion_seconds, keep_until,
      heartbeat_seconds, policy)
    SELECT q.name, json_build_object('sealed', $6::text, 'label', 'invitation'), q.retry_limit, q.retry_delay, q.retry_backoff,
      q.expire_seconds, q.deletion_seconds, now() + q.retention_seconds * interval '1 s', q.heartbeat_seconds, q.policy
    FROM pgboss.queue q, invited WHERE q.name = 'mail.send'
  ), event AS (
    INSERT INTO audit_events (action, actor_id, target_type, target_id, organization_id, metadata, ip, request_id, is_above_units)
    SELECT 'USER_INVITED', inviter_id, 'invitation', id, place.organization_id, jsonb_build_object('email', $3::text,
      'roles', ARRAY[role_name], 'assignments', ARRAY[jsonb_build_object('roleId', role_id, 'roleName', role_name,
        'unitId', NULL, 'unitName', NULL)], 'language', 'en', 'supersededId', (SELECT id FROM superseded LIMIT 1)), $7, $8, true
    FROM invited, place
  )
  SELECT id, invited.organization_id AS "organizationId", $3::text AS email, 'en' AS language,
    json_build_array(json_build_object('role', json_build_object('id', role_id, 'name', role_name), 'unit', NULL, 'source', 'manual')) AS assignments,
    json_build_object('id', inviter_id, 'email', inviter_email) AS "invitedBy", NULL AS "invitedByServiceAccount",
    expires_at AS "expiresAt",
    last_sent_at AS "lastSentAt", created_at AS "createdAt", false AS expired
  FROM invited, place`;

/**
 * The statement that accepts an invitation: inserts the member with roles and units, the audit event and the
 * inviter's notification, and sends NOTIFY to the inviter's streams.
 */
const ACCEPT = `
  WITH accepted AS (
    UPDATE user_invitations i SET accepted_at = now(), accepted_user_id = u.id
    FROM users u, organizations o
    WHERE i.token_hash = $1 AND i.accepted_at IS NULL AND NOT i.is_deleted AND i.expires_at > now()
      AND u.id = $2 AND NOT u.is_deleted AND u.email = i.email
      AND o.id = i.organization_id AND o.status = 'ACTIVE' AND NOT o.is_deleted
    RETURNING i.id, i.organization_id, i.email, i.invited_by_id, u.id AS user_id
  ), joined AS (
    INSERT INTO memberships (organization_id, user_id) SELECT organization_id, user_id FROM accepted
    ON CONFLICT ON CONSTRAINT memberships_unique DO UPDATE SET is_deleted = false, deleted_at = NULL, joined_at = now()
    WHERE memberships.is_deleted
    RETURNING id
  ), given AS (
    SELECT r.id AS role_id, r.name AS role_name, a.unit_id, place.name AS unit_name
    FROM accepted JOIN user_invitation_assignments a ON a.invitation_id = accepted.id
      JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted LEFT JOIN units place ON place.id = a.unit_id
    WHERE place.is_deleted IS NOT TRUE
  ), assigned AS (
    INSERT INTO membership_assignments (membership_id, role_id, unit_id) SELECT joined.id, role_id, unit_id FROM joined, given
  ), linked AS (
    INSERT INTO membership_units (membership_id, unit_id) SELECT joined.id, unit_id FROM joined, given WHERE unit_id IS NOT NULL
  ), event AS (
    INSERT INTO audit_events (action, actor_id, target_type, target_id, organization_id, metadata, ip, request_id, subject_user_id)
    SELECT 'USER_INVITATION_ACCEPTED', user_id, 'user', user_id, organization_id, jsonb_build_object('invitationId', accepted.id,
      'roles', (SELECT json_agg(role_name) FROM given), 'assignments', (SELECT json_agg(json_build_object('roleId', role_id,
        'roleName', role_name, 'unitId', unit_id, 'unitName', unit_name)) FROM given), 'existingAccount', true), $3, $4, user_id
    FROM accepted, joined
  ), created AS (
    INSERT INTO notifications (user_id, type, data)
    SELECT invited_by_id, 'INVITATION_ACCEPTED', jsonb_build_object('email', email, 'userId', user_id,
      'organizationId', organization_id) FROM accepted, joined
    RETURNING id, user_id
  )
  SELECT pg_notify('notifications', user_id || ' ' || id) FROM created`;

type Invite = { email: string; assignments: [{ roleId: string }] };

/** Creates and accepts invitations, each with one statement. Returns null for an invalid request. */
export function invitations(sql: SQL, jobsKey: string) {
  const { encrypt } = createCipher(jobsKey, "jobs");
  return {
    async invite({ sub, organization }: Claims, body: Invite, ip: string): Promise<Response | null> {
      const { email, assignments } = body;
      const secret = newSecret();
      const sealed = encrypt({ kind: "invitation", to: email, language: "en", data: { token: secret } });
      const [{ roleId }] = assignments;
      const values = [organization?.id, sub, email, digest(secret), roleId, sealed, ip, crypto.randomUUID()];
      const [shown] = await sql.unsafe(INVITE, values);
      return shown === undefined ? null : Response.json(shown, { status: 201 });
    },
    async accept({ sub }: Claims, token: string, ip: string): Promise<Response | null> {
      const rows = await sql.unsafe(ACCEPT, [digest(token), sub, ip, crypto.randomUUID()]);
      return rows.length === 0 ? null : new Response(null, { status: 204 });
    },
  };
}
