/* Ends sessions. Ending a session deletes all its rows (rules 5.11). All writes are under the user's lock, except
   when an organization ends. */

/* @name deleteSession */
DELETE FROM refresh_tokens WHERE user_id = :userId! AND session_id IN (
  SELECT live.session_id FROM refresh_tokens live
  WHERE live.session_id = :sessionId! AND live.user_id = :userId AND live.revoked_at IS NULL AND live.expires_at > now())
RETURNING session_id;

/* @name deleteOtherSessions */
DELETE FROM refresh_tokens WHERE user_id = :userId! AND session_id IN (
  SELECT live.session_id FROM refresh_tokens live
  WHERE live.session_id <> :sessionId! AND live.user_id = :userId AND live.revoked_at IS NULL AND live.expires_at > now())
RETURNING session_id;

/* @name deleteSessionsOfMember */
DELETE FROM refresh_tokens WHERE user_id = :userId! AND (organization_id = :organizationId! OR session_id IN (
  SELECT live.session_id FROM refresh_tokens live
  WHERE live.user_id = :userId AND live.organization_id = :organizationId AND live.revoked_at IS NULL));

/* Ends the sessions whose active organization is the given one. Also deletes the replaced tokens that were issued for
   it in sessions that have switched since (rules 5.12). Selects rows by id: an index serves each half of a UNION, but
   no half of an OR. */
/* @name deleteSessionsOfOrganization */
DELETE FROM refresh_tokens WHERE id IN (
  SELECT id FROM refresh_tokens WHERE organization_id = :organizationId!
  UNION
  SELECT t.id FROM refresh_tokens live JOIN refresh_tokens t ON t.session_id = live.session_id
  WHERE live.organization_id = :organizationId AND live.revoked_at IS NULL);

/* @name deleteSessionsOfUser */
DELETE FROM refresh_tokens WHERE user_id = :userId!
RETURNING session_id, revoked_at IS NULL AND expires_at > now() AS "is_live!";
