import { MAX_PASSKEYS } from "./passkey-owners.ts";

/** Counts of mails of a kind, which must equal the number of rows that cause them. */
const oneMailEach = (label: string, rows: string) => `SELECT rows, jobs FROM
  (SELECT count(*) AS rows FROM ${rows}) r,
  (SELECT count(*) AS jobs FROM pgboss.job WHERE name = 'mail.send' AND data ->> 'label' = '${label}') j
  WHERE rows <> jobs`;

/** Queries that find rows about proofs, passkeys and emails that must never exist. */
export const IDENTITY_INVARIANTS: Record<string, string> = {
  "live sessions without a proof": `SELECT DISTINCT r.session_id FROM refresh_tokens r
    LEFT JOIN session_proofs p USING (session_id)
    WHERE r.revoked_at IS NULL AND r.expires_at > now() AND p.session_id IS NULL`,
  "proofs without a session": `SELECT p.session_id FROM session_proofs p
    LEFT JOIN refresh_tokens r USING (session_id) WHERE r.session_id IS NULL`,
  "tokens with an outdated proof": `SELECT session_id FROM refresh_tokens
    WHERE revoked_at IS NULL AND proof IS DISTINCT FROM session_proof(session_id, session_started_at)`,
  "accounts with more passkeys than allowed": `SELECT user_id, count(*)::int AS passkeys FROM passkeys
    GROUP BY user_id HAVING count(*) > ${MAX_PASSKEYS}`,
  "accounts without a way in": `SELECT u.id FROM users u WHERE NOT u.is_deleted AND u.password_hash IS NULL
    AND NOT EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id AND p.blocked_at IS NULL)
    AND NOT EXISTS (SELECT FROM user_identities i WHERE i.user_id = u.id)`,
  "second factors without an app or a passkey": `SELECT u.id FROM users u WHERE u.two_factor_enabled_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM two_factor_secrets s WHERE s.user_id = u.id)
    AND NOT EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id)`,
  "blocked passkeys, which nobody copied": "SELECT id FROM passkeys WHERE blocked_at IS NOT NULL",
  "passkeys without exactly one event": `SELECT p.id FROM passkeys p LEFT JOIN audit_events e ON e.target_id = p.id
    AND e.action = 'PASSKEY_ADDED' WHERE p.created_at > '2026-01-02' GROUP BY p.id HAVING count(e.id) <> 1`,
  "accounts without exactly one current email": `SELECT u.id, u.email FROM users u
    LEFT JOIN account_emails a ON a.user_id = u.id AND a.used_until IS NULL
    WHERE u.pseudonymised_at IS NULL GROUP BY u.id HAVING array_agg(a.email) IS DISTINCT FROM ARRAY[u.email]`,
  "accounts whose changes of email do not lead to their email": `WITH steps AS (
      SELECT target_id AS id, metadata ->> 'to' AS email, 1 AS step FROM audit_events
      WHERE action IN ('EMAIL_CHANGED', 'EMAIL_CHANGE_UNDONE')
      UNION ALL SELECT target_id, metadata ->> 'from', -1 FROM audit_events
      WHERE action IN ('EMAIL_CHANGED', 'EMAIL_CHANGE_UNDONE')
    ), ends AS (SELECT id, email, sum(step) AS steps FROM steps GROUP BY 1, 2 HAVING sum(step) <> 0)
    SELECT u.id FROM ends e JOIN users u USING (id)
    WHERE NOT (e.steps = 1 AND e.email = u.email OR e.steps = -1 AND e.email <> u.email)`,
  "former emails that were lost": `SELECT e.target_id, m.email FROM audit_events e,
      unnest(ARRAY[e.metadata ->> 'from', e.metadata ->> 'to']) m (email)
    WHERE e.action IN ('EMAIL_CHANGED', 'EMAIL_CHANGE_UNDONE')
      AND NOT EXISTS (SELECT FROM account_emails a WHERE a.email = m.email AND a.user_id = e.target_id)`,
  "accounts whose changes of email and events differ in number": `SELECT u.id FROM users u,
    LATERAL (SELECT count(*) AS requested, count(completed_at) AS completed FROM email_changes WHERE user_id = u.id) c,
    LATERAL (SELECT count(*) FILTER (WHERE action = 'EMAIL_CHANGE_REQUESTED') AS requested,
      count(*) FILTER (WHERE action = 'EMAIL_CHANGED') AS completed FROM audit_events WHERE target_id = u.id) e
    WHERE (c.requested, c.completed) <> (e.requested, e.completed)`,
  "mails to the old address of a change": oneMailEach("emailChangeOld", "email_changes"),
  "mails to the new address of a change": oneMailEach("emailChangeNew", "email_changes"),
  "mails about a completed change": oneMailEach(
    "emailChanged",
    "email_changes WHERE completed_at IS NOT NULL",
  ),
  "mails about an undone change": oneMailEach(
    "emailChangeUndone",
    "audit_events WHERE action = 'EMAIL_CHANGE_UNDONE'",
  ),
};
