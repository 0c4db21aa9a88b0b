/* Accounts, as several features need them. All writes are under the user's lock. */

/* @name findUserByEmail */
SELECT id, email, password_hash, password_renewal, email_verified_at IS NOT NULL AS "is_verified!", is_platform_admin, language,
  last_organization_id, two_factor_enabled_at IS NOT NULL AS "has_two_factor!"
FROM users
WHERE email = :email! AND NOT is_deleted;

/* @name findUser */
SELECT id, email, first_name, last_name, language, email_verified_at, is_platform_admin,
  two_factor_enabled_at IS NOT NULL AS "has_two_factor!", created_at,
  (SELECT count(*) FROM passkeys p WHERE p.user_id = users.id)::int AS "passkey_count!"
FROM users
WHERE id = :id! AND NOT is_deleted;

/* Returns the data of an account that a sign-in or a change of credentials needs. */
/* @name findCredentials */
SELECT id, email, first_name, last_name, password_hash, password_renewal, email_verified_at IS NOT NULL AS "is_verified!", is_platform_admin, language,
  last_organization_id, two_factor_enabled_at IS NOT NULL AS "has_two_factor!"
FROM users
WHERE id = :id! AND NOT is_deleted;

/* Like findCredentials, for a signed-in caller. Returns no row for a deleted account, or if the session of the
   access token has ended. */
/* @name findOwnCredentials */
SELECT u.id, u.email, u.first_name, u.last_name, u.password_hash, u.password_renewal,
  u.email_verified_at IS NOT NULL AS "is_verified!", u.is_platform_admin, u.language, u.last_organization_id,
  u.two_factor_enabled_at IS NOT NULL AS "has_two_factor!"
FROM users u
WHERE u.id = :id! AND NOT u.is_deleted AND EXISTS (
  SELECT FROM refresh_tokens t
  WHERE t.session_id = :sessionId! AND t.user_id = u.id AND t.revoked_at IS NULL AND t.expires_at > now());

/* @name setPassword */
UPDATE users SET password_hash = :passwordHash!, updated_at = now()
WHERE id = :id! AND NOT is_deleted
RETURNING email, language;

/* Replaces the hash of an unchanged password by one with other parameters. Does nothing if the password was changed
   meanwhile. */
/* @name renewPasswordHash */
UPDATE users SET password_hash = :passwordHash!,
  password_renewal = encode(sha256(convert_to(:storedHash! || ' ' || :passwordHash!, 'UTF8')), 'hex')
WHERE id = :id! AND password_hash = :storedHash! AND NOT is_deleted
RETURNING id;

/* Inserts an account with a verified email. Returns no row if an account already has the email. */
/* @name insertVerifiedUser */
INSERT INTO users (email, first_name, last_name, password_hash, language, email_verified_at)
VALUES (:email!, :firstName!, :lastName!, :passwordHash, :language!, now())
ON CONFLICT (email) DO NOTHING
RETURNING id;

/* Returns the account that has an email, or had it before. A previous email of an account is unavailable, too. */
/* @name findEmailHolder */
SELECT id AS "id!", is_deleted AS "is_deleted!" FROM users WHERE email = :email!
UNION ALL
SELECT user_id, true FROM account_emails WHERE email = :email AND used_until IS NOT NULL
UNION ALL
SELECT user_id, true FROM retired_emails WHERE digest = digest_of_email(:email);

/* @name listUsersByEmail */
SELECT id AS "id!" FROM users WHERE (:withDeleted!::boolean OR NOT is_deleted) AND search_finds(email, :search!)
UNION
SELECT user_id FROM account_emails WHERE :withDeleted AND used_until IS NOT NULL AND search_finds(email, :search)
LIMIT :max!;

/* Returns users who are or were members of an organization and whose email matches a search. Live members are found
   by an index on a text that begins with the organization and has the email in its third line. */
/* @name listPeopleByEmail */
SELECT m.user_id AS "id!" FROM memberships m
WHERE m.organization_id = :organizationId! AND NOT m.is_deleted AND search_finds(m.search_text, :search!)
  AND strpos(split_part(m.search_text, E'\n', 3), search_fold(:search)) > 0
UNION ALL
SELECT m.user_id FROM memberships m JOIN users u ON u.id = m.user_id AND NOT u.is_deleted
WHERE m.organization_id = :organizationId AND m.is_deleted AND search_finds(m.sort_email, :search)
LIMIT :max!;

/* @name isOtherPlatformAdmin */
SELECT EXISTS (SELECT FROM users WHERE is_platform_admin AND NOT is_deleted AND id <> :id!) AS "is_left!";

/* @name deleteUser */
UPDATE users SET is_deleted = true, deleted_at = now(), updated_at = now()
WHERE id = :id! AND NOT is_deleted
RETURNING email;

/* @name deleteIdentitiesOfUser */
DELETE FROM user_identities WHERE user_id = :userId!;

/* Cancels the pending change of an account's email. */
/* @name cancelEmailChange */
UPDATE email_changes SET canceled_at = now()
WHERE user_id = :userId! AND completed_at IS NULL AND canceled_at IS NULL
RETURNING old_email, new_email, expires_at > now() AS "is_live!";

/* Returns how many apps act for a person. */
/* @name countConnectedAppsOfUser */
SELECT count(*)::int AS "count!"
FROM usable_oauth_grants g
WHERE g.user_id = :userId! AND app_works(g, :operator!::jsonb);
