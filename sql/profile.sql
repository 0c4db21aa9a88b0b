/* Changes the user's names and language. A null parameter keeps the current value. */
/* @name updateProfile */
UPDATE users SET first_name = COALESCE(:firstName, first_name), last_name = COALESCE(:lastName, last_name),
  language = COALESCE(:language::language, language), updated_at = now()
WHERE id = :id! AND NOT is_deleted
RETURNING id, email, first_name, last_name, language, email_verified_at, is_platform_admin,
  two_factor_enabled_at IS NOT NULL AS "has_two_factor!", created_at,
  (SELECT count(*) FROM passkeys p WHERE p.user_id = users.id)::int AS "passkey_count!";
