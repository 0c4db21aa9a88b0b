-- A person who changed their name while they joined an organization kept the old name in its list of members, because
-- neither transaction saw the other. They now wait for each other (src/features/profile/service.ts).

-- Writes the names again, unchanged, so that users_pass_names_on() passes them on.
UPDATE users SET last_name = last_name WHERE id IN (
  SELECT m.user_id FROM memberships m JOIN users u ON u.id = m.user_id
  WHERE (m.sort_name, m.sort_email, m.search_text)
    IS DISTINCT FROM (search_fold(u.last_name), u.email, search_text_of_person(u.first_name, u.last_name, u.email))
);
