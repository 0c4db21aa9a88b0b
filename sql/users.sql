/* Lists accounts, for platform administrators. The members of organizations and units are collected first, in
   arrays: a correlated subquery would run for every account. */
/* @list users from users u by id */
/* @columns */ u.id, u.email, u.first_name, u.last_name, u.language, u.email_verified_at, u.is_platform_admin,
  u.two_factor_enabled_at IS NOT NULL AS "has_two_factor!", u.created_at,
  (SELECT count(*) FROM passkeys p WHERE p.user_id = u.id)::int AS "passkey_count!"
/* @where */ NOT u.is_deleted
/* @if search */ search_text_of_person(u.first_name, u.last_name, u.email) LIKE search_pattern(:search)
/* @if member */ u.id = ANY (:member)
/* @if organizations */ u.id = ANY (ARRAY(
    SELECT m.user_id FROM memberships m WHERE m.organization_id = ANY (:organizations) AND NOT m.is_deleted))
/* @if units */ u.id = ANY (ARRAY(SELECT mu.user_id FROM unit_members mu WHERE mu.unit_id = ANY (:units)))
/* @sort createdAt */ u.created_at
/* @sort email */ u.email COLLATE "C"
/* @sort lastName */ search_fold(u.last_name) COLLATE natural_order
/* @total users() */;

/* @name listOrganizationsOfUsers */
SELECT m.user_id, o.id, o.name
FROM memberships m JOIN organizations o ON o.id = m.organization_id AND NOT o.is_deleted
WHERE m.user_id = ANY (:userIds!::uuid[]) AND NOT m.is_deleted
ORDER BY o.search_name COLLATE natural_order, o.id;

/* @name setPlatformAdmin */
UPDATE users SET is_platform_admin = :isPlatformAdmin!, updated_at = now()
WHERE id = :id! AND is_platform_admin <> :isPlatformAdmin AND NOT is_deleted
RETURNING id;

/* @name makePlatformAdmin */
UPDATE users
SET is_platform_admin = true, updated_at = now()
WHERE id = :id! AND NOT is_platform_admin AND NOT is_deleted
RETURNING id;

/* @name replacePassword */
UPDATE users SET password_hash = :passwordHash, updated_at = now() WHERE id = :id!;

/* @name insertPlatformAdmin */
INSERT INTO users (email, first_name, last_name, password_hash, language, email_verified_at, is_platform_admin)
VALUES (:email!, :firstName!, :lastName!, :passwordHash, :language!, now(), true)
ON CONFLICT (email) DO NOTHING
RETURNING id;
