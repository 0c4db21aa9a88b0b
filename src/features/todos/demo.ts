import type { Tx } from "#kit";

/** The words from which the titles of the todos are made: a verb and an object, as in "Review the travel budget". */
const VERBS = ["Review", "Prepare", "Update", "Check", "Plan", "Send", "Approve"];
const OBJECTS = [
  "the roles of Athens",
  "the supplier contract",
  "the minutes of Monday",
  "the visit to Boston",
  "the onboarding guide",
  "the travel budget",
  "the list of keys",
  "the quarterly report",
  "the safety training",
  "the photos for the site",
  "the rota of December",
];

/** Creates todos of the last 90 days. A third of them belong to the first five members, whom a visitor signs in as. */
export const plantDemo = (tx: Tx, organizationId: string, members: string[]) =>
  tx.db.query(
    `INSERT INTO todos (organization_id, user_id, title, completed, completed_at, created_at, updated_at)
     SELECT $1::uuid, ($2::uuid[])[1 + CASE WHEN n % 3 = 0 THEN n / 3 % 5 ELSE n % cardinality($2) END],
       ($3::text[])[1 + n % cardinality($3)] || ' ' || ($4::text[])[1 + (n * 4) % cardinality($4)], done,
       CASE WHEN done THEN at + make_interval(hours => 2 + abs(hashtext('done ' || n)) % 19) END, at, at
     FROM (
       SELECT n, now() - make_interval(hours => 22 + n * 9 - abs(hashtext('todo ' || n)) % 6, mins => (n * 37) % 60) AS at, n % 7 > 2 AND n > 3 AS done
       FROM generate_series(0, 230) n
     ) rows`,
    [organizationId, members, VERBS, OBJECTS],
  );
