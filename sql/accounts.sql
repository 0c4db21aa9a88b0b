/* @name findUserByEmail */
SELECT id, email, password_hash, email_verified_at IS NOT NULL AS "is_verified!", is_platform_admin, language,
  last_organization_id, two_factor_enabled_at IS NOT NULL AS "has_two_factor!"
FROM users
WHERE email = :email! AND NOT is_deleted;

/* @name findUser */
SELECT id, email, first_name, last_name, language, email_verified_at, is_platform_admin,
  two_factor_enabled_at IS NOT NULL AS "has_two_factor!", created_at
FROM users
WHERE id = :id! AND NOT is_deleted;

/* What a sign-in and a change of credentials need to know of the account. */
/* @name findCredentials */
SELECT id, email, password_hash, email_verified_at IS NOT NULL AS "is_verified!", is_platform_admin, language,
  last_organization_id, two_factor_enabled_at IS NOT NULL AS "has_two_factor!"
FROM users
WHERE id = :id! AND NOT is_deleted;

/* @name isEmailHeld */
SELECT EXISTS (SELECT FROM users WHERE email = :email!) AS "is_held!";

/* No row comes back when the email is held already, by a deleted account included. */
/* @name insertUser */
INSERT INTO users (email, first_name, last_name, password_hash, language, pending_organization_name)
VALUES (:email!, :firstName!, :lastName!, :passwordHash, :language!, :pendingOrganizationName)
ON CONFLICT (email) DO NOTHING
RETURNING id;

/* @name markEmailVerified */
UPDATE users SET email_verified_at = now(), updated_at = now()
WHERE id = :id! AND email_verified_at IS NULL AND NOT is_deleted
RETURNING pending_organization_name;

/* @name setPassword */
UPDATE users SET password_hash = :passwordHash!, updated_at = now()
WHERE id = :id! AND NOT is_deleted
RETURNING email, language;

/* What is null stays as it is. */
/* @name updateProfile */
UPDATE users SET first_name = COALESCE(:firstName, first_name), last_name = COALESCE(:lastName, last_name),
  language = COALESCE(:language::language, language), updated_at = now()
WHERE id = :id! AND NOT is_deleted
RETURNING id, email, first_name, last_name, language, email_verified_at, is_platform_admin,
  two_factor_enabled_at IS NOT NULL AS "has_two_factor!", created_at;

/* @name makePlatformAdmin */
UPDATE users
SET is_platform_admin = true, email_verified_at = COALESCE(email_verified_at, now()), updated_at = now()
WHERE id = :id! AND NOT is_platform_admin AND NOT is_deleted
RETURNING id;

/* @name replacePassword */
UPDATE users SET password_hash = :passwordHash, updated_at = now() WHERE id = :id!;

/* @name insertPlatformAdmin */
INSERT INTO users (email, first_name, last_name, password_hash, language, email_verified_at, is_platform_admin)
VALUES (:email!, :firstName!, :lastName!, :passwordHash, :language!, now(), true)
ON CONFLICT (email) DO NOTHING
RETURNING id;

/* Of somebody whose email is known to be theirs. No row comes back when it is held already. */
/* @name insertVerifiedUser */
INSERT INTO users (email, first_name, last_name, password_hash, language, email_verified_at)
VALUES (:email!, :firstName!, :lastName!, :passwordHash, :language!, now())
ON CONFLICT (email) DO NOTHING
RETURNING id;

/* @name findEmailHolder */
SELECT id, is_deleted FROM users WHERE email = :email!;
