/* Passkeys of an account, as its owner manages them. All writes are under the user's lock. */

/* @name listPasskeys */
SELECT id, name, aaguid, transports, backup_eligible, backed_up, signs_in, rp_id, blocked_at, created_at, last_used_at
FROM passkeys WHERE user_id = :userId! ORDER BY created_at, id;

/* @name findPasskey */
SELECT id, name, aaguid, transports, backup_eligible, backed_up, signs_in, rp_id, blocked_at, created_at, last_used_at
FROM passkeys WHERE id = :id! AND user_id = :userId!;

/* Adds a passkey. Returns no row if an account already has this credential. */
/* @name insertPasskey */
INSERT INTO passkeys (user_id, credential_id, public_key, algorithm, sign_count, rp_id, aaguid, transports, backup_eligible,
  backed_up, signs_in, name)
VALUES (:userId!, decode(:credentialId!, 'hex'), decode(:publicKey!, 'hex'), :algorithm!, :signCount!::float8, :rpId!, :aaguid!,
  :transports!::text[], :backupEligible!, :backedUp!, :signsIn!, :name!)
ON CONFLICT (credential_id) DO NOTHING
RETURNING id;

/* @name renamePasskey */
UPDATE passkeys SET name = :name! WHERE id = :id! AND user_id = :userId! RETURNING id;

/* @name deletePasskey */
DELETE FROM passkeys WHERE id = :id! AND user_id = :userId! RETURNING id, name, aaguid;

/* Ends the sessions in which a passkey was used as proof, at the sign-in or later. */
/* @name deleteSessionsByPasskey */
DELETE FROM refresh_tokens WHERE user_id = :userId! AND session_id IN (
  SELECT p.session_id FROM session_proofs p WHERE p.user_id = :userId AND (p.kind = 'passkey' OR p.amr && '{hwk,swk}'))
RETURNING session_id, revoked_at IS NULL AND expires_at > now() AS "is_live!";

/* @name countPasskeysOfOtherDomains */
SELECT count(*)::int AS "count!" FROM passkeys WHERE rp_id <> :rpId!;
