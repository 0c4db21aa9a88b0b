import { hash } from "@node-rs/argon2";
import { builtInRoles, MEMBER, ORG_ADMIN } from "../../../src/core/access/catalog.ts";
import { packIds } from "../../../src/core/access/packed-ids.ts";
import { standardCost } from "../../../src/platform/passwords/argon2.ts";
import { digest, newSecret } from "./baseline/tokens.ts";
import { type Database, MEDIUM, OTHER_ORGANIZATIONS, seed, seedOne, settle } from "./seed.ts";
import type { Bench } from "./targets.ts";

/** The token claims of a user without an organization. */
export const HELD_NOWHERE = {
  ...{ isPlatformAdmin: false, organization: null, roles: [], permissions: [], unitGrants: [] },
};

/** The token claims of an administrator, without the organization, which the caller adds. */
export const HELD_BY_ADMINISTRATOR = {
  ...{ isPlatformAdmin: false, roles: [ORG_ADMIN.name], permissions: ORG_ADMIN.permissions, unitGrants: [] },
};

/** The number of concurrent connections; each has its own user. */
export const CONNECTIONS = 32;
export const PASSWORD = "correct horse battery staple";
/**
 * The number of users: two per connection. One half reads, refreshes and invites. The other half only signs in,
 * which ends a user's oldest sessions.
 */
const PEOPLE = 2 * CONNECTIONS;
const TODOS = 200;

/** A user with credentials, refresh cookies and tokens. */
export type Person = { id: string; email: string; cookie: string; accessToken: string; ownToken: string };
/** The users and administrators in both databases at the start. */
export type World = { people: Person[]; administrators: string[]; unitAdministrators: string[] };

/**
 * Seeds an organization of 64 users, each with two more organizations and 200 todos; an organization of 1,000
 * members in 2,000 units; and other organizations with 20,000 members.
 */
export async function seedWorld(bench: Bench, db: Database): Promise<World> {
  await seed(db, OTHER_ORGANIZATIONS);
  const tree = await seedOne(db, MEDIUM);
  const shared = await seedOrganization(db, "bench");
  const { memoryKiB, passes, lanes } = standardCost;
  const cost = { memoryCost: memoryKiB, timeCost: passes, parallelism: lanes };
  const people = await db.sql<{ id: string; email: string; own: Organization }>(
    `WITH made AS (
       INSERT INTO users (email, password_hash, first_name, last_name, language, email_verified_at, last_organization_id)
       SELECT 'person-' || n || '@example.com', $1, 'Person', 'Number ' || n, 'EN', now(), $2
       FROM generate_series(1, $3::int) n RETURNING id, email
     ), owned AS (
       INSERT INTO organizations (name, slug) SELECT 'Of ' || email, 'of-' || split_part(email, '@', 1) FROM made
       RETURNING id, name, slug
     )
     SELECT made.id, email, json_build_object('id', owned.id, 'name', name, 'slug', slug) AS own
     FROM made JOIN owned ON owned.name = 'Of ' || email ORDER BY made.id`,
    [await hash(PASSWORD, cost), shared.id, PEOPLE],
  );
  const other = await seedOrganization(db, "other");
  await seedOrganizations(db, shared, other);
  const cookies = people.map(() => newSecret());
  const sessions = people.map(() => crypto.randomUUID());
  await db.sql(
    `INSERT INTO refresh_tokens (session_id, user_id, token_hash, organization_id, expires_at, proof)
     SELECT session_id, user_id, token_hash, $4, now() + interval '7 days', session_proof(session_id, now())
     FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS held (session_id, user_id, token_hash)`,
    [sessions, people.map(({ id }) => id), cookies.map(digest), shared.id],
  );
  await db.sql(
    `INSERT INTO session_proofs (session_id, user_id, kind, factors, amr)
     SELECT session_id, user_id, 'password', 1, '{pwd}' FROM refresh_tokens WHERE session_id = ANY ($1::uuid[])`,
    [sessions],
  );
  await seedHistory(db);
  await settle(db);

  // The tokens refer to live sessions, because writes of permissions check that the session is live.
  const signed = (sub: string, sid: string, organization: Organization) =>
    bench.sign({ ...HELD_BY_ADMINISTRATOR, sub, sid, organization });
  return {
    people: people.map(({ id, email, own }, index) => ({
      ...{ id, email, cookie: cookies[index] ?? "" },
      accessToken: signed(id, sessions[index] ?? "", shared),
      ownToken: signed(id, sessions[index] ?? "", own),
    })),
    ...(await administratorsOf(bench, db, tree)),
  };
}

/** Inserts rows of other organizations, so that no table is empty when the first query plans are made. */
async function seedHistory(db: Database): Promise<void> {
  const member = "FROM memberships m JOIN users u ON u.id = m.user_id WHERE u.email LIKE 'seed%'";
  await db.sql(
    `INSERT INTO user_invitations (organization_id, email, language, token_hash, expires_at, invited_by_id, accepted_at,
       accepted_user_id)
     SELECT m.organization_id, u.email, 'EN', 'past-' || m.id, now(), u.id, past.at, past.by
     FROM (SELECT *, row_number() OVER () % 3 = 0 AS is_pending FROM memberships) m JOIN users u ON u.id = m.user_id,
       LATERAL (SELECT CASE WHEN NOT is_pending THEN now() END, CASE WHEN NOT is_pending THEN u.id END) past (at, by)
     WHERE u.email LIKE 'seed%'`,
  );
  await db.sql(
    `INSERT INTO user_invitation_assignments (invitation_id, role_id) SELECT id, $1 FROM user_invitations`,
    [MEMBER.id],
  );
  await db.sql(
    `INSERT INTO user_invitation_sends (organization_id, email) SELECT organization_id, email FROM user_invitations`,
  );
  await db.sql(
    `INSERT INTO audit_events (action, actor_id, target_type, target_id, organization_id, ip, request_id, time, subject_user_id)
     SELECT 'MEMBER_ROLES_CHANGED', u.id, 'user', u.id, m.organization_id, '10.0.0.' || n, gen_random_uuid(),
       now() - n * interval '1 hour', u.id
     ${member.replace(" WHERE", ", generate_series(1, 2) n WHERE")}`,
  );
  await db.sql(`INSERT INTO notifications (user_id, type, data) SELECT u.id, 'WELCOME', '{}' ${member}`);
}

export type Organization = { id: string; name: string; slug: string };
export const seedOrganization = async (db: Database, slug: string): Promise<Organization> =>
  (
    await db.sql<Organization>(
      "INSERT INTO organizations (name, slug) VALUES (initcap($1), $1) RETURNING id, name, slug",
      [slug],
    )
  )[0] as Organization;

/**
 * Makes all users administrators of the shared organization and of their own, and members of a third; adds units and
 * todos.
 */
async function seedOrganizations(db: Database, shared: Organization, other: Organization): Promise<void> {
  await db.sql(
    `INSERT INTO memberships (organization_id, user_id, joined_at)
     SELECT o.id, u.id, now() - (CASE o.id WHEN $1::uuid THEN 3 WHEN $2::uuid THEN 2 ELSE 1 END) * interval '1 minute'
     FROM users u JOIN organizations o ON o.id IN ($1, $2) OR o.name = 'Of ' || u.email
     WHERE u.email LIKE 'person-%'`,
    [shared.id, other.id],
  );
  await db.sql(
    `INSERT INTO membership_assignments (membership_id, role_id)
     SELECT m.id, CASE m.organization_id WHEN $1::uuid THEN $2::uuid ELSE $3::uuid END
     FROM memberships m JOIN users u ON u.id = m.user_id WHERE u.email LIKE 'person-%'`,
    [other.id, MEMBER.id, ORG_ADMIN.id],
  );
  await db.sql(
    `WITH places AS (
       INSERT INTO units (organization_id, name) SELECT $1, 'Unit ' || n FROM generate_series(0, 9) n RETURNING id, name)
     INSERT INTO membership_units (membership_id, unit_id)
     SELECT m.id, places.id FROM (SELECT id, row_number() OVER (ORDER BY id) AS nth FROM memberships WHERE organization_id = $1) m
     JOIN places ON places.name IN ('Unit ' || nth % 10, 'Unit ' || (nth + 3) % 10)`,
    [shared.id],
  );
  await db.sql(
    `INSERT INTO todos (organization_id, user_id, title, completed, created_at)
     SELECT organization_id, user_id, 'Todo ' || n || ', with a title of the usual length', n % 3 = 0, now() - n * interval '1 minute'
     FROM memberships, generate_series(1, $2::int) n WHERE organization_id = $1`,
    [shared.id, TODOS],
  );
}

/**
 * Signs tokens for administrators of the whole unit tree, and for the same number of administrators of 150 of its
 * units.
 */
async function administratorsOf(bench: Bench, db: Database, tree: { id: string; thirdLevel: string[] }) {
  const places = await db.sql<{ sub: string; organization: Organization }>(
    `SELECT m.user_id AS sub, json_build_object('id', o.id, 'name', o.name, 'slug', o.slug) AS organization
     FROM organizations o JOIN memberships m ON m.organization_id = o.id AND NOT m.is_deleted
     WHERE o.id = $1 ORDER BY m.id LIMIT $2`,
    [tree.id, CONNECTIONS],
  );
  const roots = tree.thirdLevel.slice(0, 6);
  const units = await db.sql<{ id: string }>("SELECT unit_id AS id FROM unit_subtree($1::uuid[])", [roots]);
  const covered = { roots: packIds(roots), units: packIds(units.map(({ id }) => id)) };
  const unitAdmin = builtInRoles.find(({ name }) => name === "UNIT_ADMIN");
  const inUnits = {
    roles: [],
    permissions: [],
    unitGrants: [{ permissions: unitAdmin?.permissions ?? [], ...covered }],
  };
  const signed = (held: object) =>
    places.map((place) =>
      bench.sign({ ...HELD_BY_ADMINISTRATOR, ...held, sid: crypto.randomUUID(), ...place }),
    );
  return { administrators: signed({}), unitAdministrators: signed(inUnits) };
}
