import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import * as access from "#sql/access";
import * as attachments from "#sql/helpdesk/attachments";
import * as messages from "#sql/helpdesk/messages";
import * as staff from "#sql/helpdesk/staff";
import * as tickets from "#sql/helpdesk/tickets";
import * as ticketUnits from "#sql/helpdesk/units";
import * as members from "#sql/members";
import * as oauthAuthorize from "#sql/oauth-authorize";
import * as oauthClients from "#sql/oauth-clients";
import * as oauthGrants from "#sql/oauth-grants";
import * as oauthTokens from "#sql/oauth-tokens";
import * as organizations from "#sql/organizations";
import * as people from "#sql/people/accounts";
import * as memberships from "#sql/people/memberships";
import * as sessions from "#sql/people/sessions";
import * as roles from "#sql/roles";
import * as units from "#sql/units";
import * as users from "#sql/users";
import { builtInRoles, MEMBER } from "../../../src/core/access/catalog.ts";
import { PLANNER } from "../../../src/platform/db/connection.ts";
import { exactlyOne, PreparedQuery } from "../../../src/platform/db/prepared-query.ts";
import {
  BIG,
  EMPTY,
  OTHER_ORGANIZATIONS,
  type Seeded,
  seed,
  seedOne,
  settle,
} from "../../proof/bench/seed.ts";
import { wholeTable } from "../../support/audit-periods.ts";
import { explain, nodesOf, type Plan, prepared } from "../../support/query-plans.ts";
import { startService } from "../../support/service.ts";
import { type SeededClients, seedGrants } from "./grants-seed.ts";
import { seedTickets } from "./tickets-seed.ts";

/*
 * No statement of src scans a large table sequentially. Lists get custom plans, other statements the plan that
 * PostgreSQL chooses after a few executions. With BENCH_PLANS=1 the data are an organization with 50,000 members, 200
 * other organizations, 10,000 empty ones and 100,000 tickets. Otherwise the data are a twentieth of that, and
 * `enable_seqscan = off` leaves sequential scans only where no index can serve.
 */
const IS_GROWN = process.env.BENCH_PLANS === "1";
const [SHARE, TICKETS] = IS_GROWN ? [1, 100_000] : [0.05, 5_000];
const partOf = (size: typeof BIG) => ({
  ...size,
  organizations: Math.ceil(size.organizations * SHARE),
  members: size.organizations === 1 ? size.members * SHARE : size.members,
});

const t = await startService();
const connection = new SQL({ url: t.databaseUrl, max: 1, connection: PLANNER });
afterAll(() => connection.close());

const BIG_TABLES = new Set([
  "users",
  "memberships",
  "membership_units",
  "membership_assignments",
  "organizations",
  "audit_events",
  "refresh_tokens",
  "roles",
  "units",
  "tickets",
  "ticket_messages",
  "ticket_attachments",
  "oauth_clients",
  "oauth_grants",
  "oauth_approved_apps",
  "oauth_codes",
  "oauth_tokens",
]);

/** Enough executions for PostgreSQL to choose between a custom and a generic plan. */
const USES = 7;

// biome-ignore lint/suspicious/noExplicitAny: a query of any parameters and rows
type AnyQuery = PreparedQuery<any, any>;
/** Values of parameters, by name. */
type Values = Record<string, unknown>;

let big: Seeded;
let neighbours: string[];
/** A member of the big organization, with a unit and a role. */
let person: { userId: string; membershipId: string; email: string; unitId: string; roleId: string };
/** A ticket of the big organization, with an image. */
let ticket: { id: string; reporterId: string; messageId: string; attachmentId: string };
/** Registered clients with many and with few grants. */
let clients: SeededClients;
/** Typical reaches of callers: everything, 150 units, 1,500 units. */
let reaches: (string[] | null)[];

beforeAll(
  async () => {
    big = await seedOne(t, partOf(BIG));
    neighbours = (await seed(t, partOf(OTHER_ORGANIZATIONS))).map(({ id }) => id);
    await seed(t, partOf(EMPTY));
    await seedTickets(t, big.id, TICKETS);
    clients = await seedGrants(t, big.id);
    await settle(t);
    if (!IS_GROWN) await connection.unsafe("SET enable_seqscan = off");
    person = exactlyOne(
      await t.sql<typeof person>(
        `SELECT m.user_id AS "userId", m.id AS "membershipId", m.sort_email AS email, mu.unit_id AS "unitId",
         (SELECT r.id FROM roles r WHERE r.organization_id = m.organization_id) AS "roleId"
       FROM memberships m JOIN membership_units mu ON mu.membership_id = m.id
       WHERE m.organization_id = $1 AND NOT m.is_deleted ORDER BY m.sort_email, mu.unit_id LIMIT 1`,
        [big.id],
      ),
    );
    ticket = exactlyOne(
      await t.sql<typeof ticket>(
        `SELECT t.id, t.reporter_id AS "reporterId", a.message_id AS "messageId", a.id AS "attachmentId"
       FROM tickets t JOIN ticket_attachments a ON a.ticket_id = t.id
       WHERE t.organization_id = $1 ORDER BY t.number LIMIT 1`,
        [big.id],
      ),
    );
    const covered = async (roots: string[]) =>
      (await t.sql<{ id: string }>("SELECT unit_id AS id FROM unit_subtree($1::uuid[])", [roots])).map(
        ({ id }) => id,
      );
    reaches = [null, await covered(big.thirdLevel.slice(0, 6)), await covered(big.thirdLevel.slice(0, 60))];
    expect(reaches.map((reach) => reach?.length)).toEqual([undefined, 150, 1_500]);
  },
  IS_GROWN ? 3_600_000 : 240_000,
);

/** Typical searches: rare, frequent, in Greek, without a match, and too short for trigrams. */
const SEARCHES = [null, "lovelace 07919", "lovelace", "Παπαδόπουλος", "nobody at all", "zz", "l"];
const WINDOW = { limit: 20, offset: "0" };

/** Returns every combination of the given values. */
function combinations<Varying extends Record<string, readonly unknown[]>>(
  varying: Varying,
): { [Key in keyof Varying]: Varying[Key][number] }[] {
  return Object.entries(varying).reduce<Record<string, unknown>[]>(
    (made, [key, values]) => made.flatMap((one) => values.map((value) => ({ ...one, [key]: value }))),
    [{}],
  ) as never;
}
const ordersOf = (...sorts: string[]) => combinations({ sort: sorts, descending: [true, false] });
/** Returns the values for every page of a list: each filter in each order. */
const pagesOf = (filters: Values[], ...sorts: string[]) =>
  filters.flatMap((filter) => ordersOf(...sorts).map((order) => ({ ...filter, ...order, ...WINDOW })));

/** The values of parameters for which a module or a query has no other. */
const usual = (): Values => ({
  ...{ organizationId: big.id, organizations: [big.id], organizationIds: [big.id], name: "New", slug: "new" },
  ...{ userId: person.userId, userIds: [person.userId], viewerId: person.userId, authorId: person.userId },
  ...{ email: person.email, firstName: "New", lastName: "User", language: "EN", passwordHash: null },
  ...{ membershipId: person.membershipId, memberships: [person.membershipId] },
  ...{ unitId: person.unitId, unitIds: [person.unitId], roots: [person.unitId], parentId: null },
  ...{ roleIds: [MEMBER.id], permission: "ApiKeys.Create", permissions: ["Members.Read"], description: "" },
  ...{ sessionId: big.id, ssoHours: 24, rpId: "localhost", maxAgeSeconds: 600, confinedTo: null },
  ...{ kind: "password", factors: 1, amr: ["pwd"], acr: "1", connectionId: null, connectionIds: [big.id] },
  ...{ tokenHash: "0".repeat(64), ip: "192.0.2.1", keyId: big.id, serviceAccountId: big.id },
  ...{ operator: { apps: "any", approved: [], blocked: [] }, grantId: big.id, requestId: big.id },
  ...{ clientId: clients.own, oauthClientId: clients.own, clientOrganizationId: big.id, clientName: "App" },
  ...{ redirectUri: "https://app.example.com/callback", redirectUris: ["https://app.example.com/callback"] },
  ...{ resource: "mcp", scopes: ["units:read"], days: 30, codeHash: "0".repeat(64), codeChallenge: "" },
  ...{ accessHash: "1".repeat(64), refreshHash: "2".repeat(64), accessSeconds: 900, graceSeconds: 60 },
  ...{
    clientHost: null,
    isConfidential: false,
    secretHash: "0".repeat(64),
    overlapSeconds: 60,
    app: "new.example.com",
  },
  ...{ isEnabled: true, createdById: null, reason: "person" },
  ...{ ticketId: ticket.id, messageId: ticket.messageId, messages: [ticket.messageId] },
  ...{ attachmentId: ticket.attachmentId, reporterId: ticket.reporterId, status: "CLOSED", staffScope: null },
  ...{ units: null, visible: null, manageableUnits: null, noteUnits: null, search: null, member: null },
  ...{ seesPlatformNotes: false, seesOrganizationNotes: true, actorId: person.userId },
  ...{ max: 1_000, seconds: 86_400, points: 20, timeZone: "UTC" },
  ...{ from: new Date(Date.now() - 30 * 86_400_000).toISOString() },
  // A page of an export of personal data.
  ...{ afterTime: new Date(0).toISOString(), afterId: crypto.randomUUID(), limit: 250 },
});

/**
 * The queries of a file, the usual values of its own, and for each query that needs them other values, which are executed
 * in turn.
 */
type Planned = { queries: Record<string, unknown>; own?: Values; cases?: Record<string, Values[]> };

const planned: Record<string, () => Planned> = {
  access: () => ({
    queries: access,
    own: { id: big.id, proof: '{ "auth_time": 1769851800, "acr": "1", "amr": ["pwd"] }' },
    cases: {
      listActiveOrganizationGrants: [{ preferredId: null, ssoHours: null }, { preferredId: big.id }],
      listUnitsByIds: [{ ids: big.thirdLevel.slice(0, 50) }],
      listCoveredUnits: [
        { roots: big.thirdLevel.slice(0, 6), max: 151 },
        { roots: big.thirdLevel.slice(0, 60), max: null },
        { max: null },
      ],
      listDeletedUnits: [{ roots: big.thirdLevel.slice(0, 60) }],
      listAncestors: [{}, { unitIds: big.thirdLevel.slice(0, 50) }],
      findPlatformAdmin: [{ id: person.userId }],
      listGrantsOfPerson: [{ keyId: null }, { userId: null }],
      listFilteredUnits: [
        { roots: big.thirdLevel.slice(0, 50) },
        { organizations: null, roots: big.thirdLevel.slice(0, 1) },
      ],
    },
  }),

  members: () => {
    const filters = combinations({
      search: SEARCHES,
      member: [null, [person.userId]],
      hasTwoFactor: [null],
      units: [...reaches, [person.unitId], []],
    });
    // An organization with few rows in the same database as the big one.
    const ofNeighbour = SEARCHES.map((search) => ({
      organizationId: neighbours[0],
      search,
      hasTwoFactor: null,
    }));
    return {
      queries: members,
      cases: {
        listMembers: pagesOf([...filters, ...ofNeighbour], "lastName", "email", "joinedAt"),
        countMembers: filters,
        findMember: combinations({ units: reaches, manageableUnits: reaches }),
      },
    };
  },

  "people/memberships": () => ({
    queries: memberships,
    own: { id: person.membershipId, ids: [person.membershipId], endedAs: "left" },
    cases: {
      listAssignments: combinations({ units: reaches }),
      listLinkedUnits: combinations({ units: reaches }),
      listOrganizationsOfOnly: [{ organizationIds: [big.id, ...neighbours.slice(0, 2)] }],
      deleteMembershipsOfOrganization: [{ organizationId: neighbours[0] }],
      findOtherMembers: [
        { adminRoleId: builtInRoles[0]?.id },
        { organizationIds: neighbours.slice(0, 2), adminRoleId: MEMBER.id },
      ],
    },
  }),

  units: () => ({
    queries: units,
    own: { id: person.unitId, topId: big.thirdLevel[0], count: 1_000 },
    cases: {
      listTree: combinations({
        organizationId: [big.id, neighbours[0]],
        units: reaches,
        search: [null, "unit 3"],
      }),
      countUnits: [{}, { organizationId: neighbours[0] }],
      listUnitsByAge: [{}, { organizationId: neighbours[0] }],
      insertUnits: [
        { given: { units: [{ id: crypto.randomUUID(), parentId: person.unitId, name: "New" }] } },
      ],
      deleteUnitsOfOrganization: [{ organizationId: neighbours[0] }],
    },
  }),

  organizations: () => {
    const filters = combinations({
      organizations: [null, [big.id], neighbours.slice(0, 50)],
      search: [null, "seeded", "nothing at all"],
    });
    return {
      queries: organizations,
      own: { id: big.id, origin: "PLATFORM", foundedById: null, defaultRoleId: null, connectedApps: null },
      cases: {
        findFreeSlugNumber: [
          { base: "acme", from: 1 },
          { base: "seeded", from: 2 },
        ],
        setOrganizationStatus: [{ status: "SUSPENDED" }],
        listOrganizations: pagesOf(filters, "createdAt", "name"),
        countOrganizations: filters,
      },
    };
  },

  users: () => {
    const filters = combinations({
      search: SEARCHES,
      member: [null, [person.userId]],
      organizations: [null, [big.id], neighbours.slice(0, 50)],
      units: [null, reaches[1] ?? null, [person.unitId]],
    });
    return {
      queries: users,
      own: { id: person.userId, isPlatformAdmin: true },
      cases: {
        listUsers: pagesOf(filters, "createdAt", "email", "lastName"),
        countUsers: filters,
        insertPlatformAdmin: [{ email: "new@example.com" }],
      },
    };
  },

  "people/accounts": () => ({
    queries: people,
    own: { id: person.userId, storedHash: "", search: "nobody at all", max: 1_001 },
    cases: {
      insertVerifiedUser: [{ email: "new@example.com" }],
      listUsersByEmail: combinations({ withDeleted: [true, false] }),
      listPeopleByEmail: combinations({ organizationId: [big.id, neighbours[0]] }),
    },
  }),

  roles: () => ({
    queries: roles,
    own: { id: person.roleId, ids: [MEMBER.id, person.roleId], name: "Planner", known: ["Members.Read"] },
    cases: {
      upsertBuiltInRole: [{ ...MEMBER, known: MEMBER.permissions }],
      listRoles: [null, "plan"].flatMap((search) =>
        ordersOf("name", "createdAt").map((order) => ({ search, ...order })),
      ),
      isRoleNameTaken: [
        { name: "planner", exceptId: null },
        { name: "planner", exceptId: person.roleId },
      ],
    },
  }),

  tickets: () => {
    const { reporterId } = ticket;
    const scopes = [
      // The viewer is the reporter of the ticket.
      { organizationId: null, reporterId, units: null, noteUnits: null },
      // An organization's staff, organization-wide or limited to units.
      ...[big.id, neighbours[0]].map((organizationId) => ({
        organizationId,
        reporterId: null,
        units: null,
        noteUnits: null,
      })),
      ...[...reaches.slice(1), [person.unitId]].map((units) => ({
        organizationId: big.id,
        reporterId: null,
        units,
        noteUnits: units,
      })),
      // The viewer is a platform administrator.
      { organizationId: null, reporterId: null, units: null, noteUnits: null },
    ];
    const whole = { organizations: null, member: null, status: null, category: null };
    const narrowed = [
      { ...whole },
      { ...whole, status: ["OPEN", "IN_PROGRESS"] },
      { ...whole, category: "BILLING" },
      { ...whole, member: [reporterId] },
      { ...whole, organizations: neighbours.slice(0, 50) },
    ];
    const searches = [
      { search: "sign in 07919", number: null, found: [] },
      { search: "αρχείο", number: null, found: [] },
      { search: "#77", number: 77, found: [] },
      { search: "example", number: null, found: null },
      { search: person.email, number: null, found: [person.userId] },
    ];
    const filters = scopes.flatMap((scope) => [
      ...narrowed.map((narrow) => ({ ...scope, ...narrow, search: null, number: null, found: [] })),
      ...searches.map((search) => ({ ...scope, ...whole, ...search })),
    ]);
    return {
      queries: tickets,
      own: { id: ticket.id },
      cases: {
        listTickets: pagesOf(filters, "lastActivityAt", "createdAt", "number"),
        countTickets: filters,
        findTicket: scopes,
        lockTicket: scopes,
        insertTicket: [
          { id: null, subject: "New", category: "BUG", pagePath: null, browser: null, appVersion: null },
        ],
      },
    };
  },

  messages: () => ({
    queries: messages,
    own: { body: "", internal: false, afterTicketId: ticket.id },
    cases: {
      listMessages: combinations({
        messageId: [null, ticket.messageId],
        beforeId: [null, ticket.messageId],
        beforeTime: [new Date().toISOString()],
        noteUnits: reaches,
      }),
    },
  }),

  "registered clients and approved apps": () => {
    const ids = [{ id: clients.own }, { id: clients.operators, organizationId: null }];
    const owners = [{}, { organizationId: null }];
    const filters = combinations({ organizationId: [big.id, null], search: [null, "app 2"] });
    return {
      queries: oauthClients,
      own: { id: clients.own },
      cases: {
        listOauthClients: pagesOf(filters, "createdAt", "name"),
        countOauthClients: filters,
        findOauthClient: ids,
        countLiveOauthClients: owners,
        insertOauthClient: owners,
        updateOauthClient: ids,
        rotateOauthClientSecret: ids,
        deleteOauthClient: ids,
        listGrantsOfClient: [{}, { clientId: clients.operators }],
        listUncoveredGrants: [{ app: null }, { app: "agent.example.com" }],
      },
    };
  },

  "connected apps": () => {
    const filters = combinations({
      search: [null, "lovelace 07919"],
      client: [null, clients.own],
      userId: [null, [person.userId]],
      units: [...reaches, [person.unitId]],
    });
    return {
      queries: oauthGrants,
      own: { id: big.id, ids: [big.id] },
      cases: {
        listLiveGrantsOfUser: [{ organizationIds: null }, {}],
        listOwnConnectedApps: [{ organizationId: null }, {}],
        findGrantInReach: combinations({ units: reaches }),
        listConnectedApps: pagesOf(filters, "createdAt", "lastUsedAt", "expiresAt"),
        countConnectedApps: filters,
        findConnectedApp: combinations({ units: reaches }),
        listLiveGrantsByConnections: [{ userId: null }, {}],
        endGrantsOfOrganization: [{ organizationId: neighbours[0] }],
        // After a restore it ends most grants, so it reads the whole table.
        endGrantsBegunBefore: [],
      },
    };
  },

  "authorization requests": () => ({
    queries: oauthAuthorize,
    cases: {
      findRegisteredClient: [{ id: clients.own }],
      lockRegisteredClient: [{ id: clients.own }],
      listOrganizationsForApp: [{ organizationId: null }, {}],
      listUnitsForApp: combinations({ search: [null, "unit 3"], permissions: [["Units.Read"]] }),
      findUnitForApp: [{ id: person.unitId }],
      listHeldInPlace: [{ unitId: null }, {}],
      insertGrant: [{ unitId: null }],
    },
  }),

  "tokens of apps": () => ({
    queries: oauthTokens,
    own: { id: clients.own },
    cases: { rotateRefreshToken: [{ ip: null, scopes: null }] },
  }),

  "units of a ticket": () => {
    const keys = [{ attachmentId: null }, { ticketId: null }];
    return { queries: ticketUnits, cases: { listUnitsOfReporter: keys, listUnitsOfNoteAuthors: keys } };
  },

  staff: () => ({
    queries: staff,
    cases: {
      listStaff: combinations({
        organizationId: [big.id, neighbours[0], null],
        actorId: [ticket.reporterId],
        participants: [true, false],
      }),
    },
  }),

  attachments: () => {
    const ids = [ticket.attachmentId];
    const image = {
      sizes: [1],
      fileNames: ["a.png"],
      contentTypes: ["image/png"],
      widths: [1],
      heights: [1],
    };
    return {
      queries: attachments,
      own: { id: ticket.attachmentId, ids, after: ticket.attachmentId, ...image },
      cases: {
        markAbandoned: [],
        listAbandoned: [{ ids: null }, {}],
        listUnknownKeys: [{ keys: ids.map((id) => `helpdesk/${id}/${id}`) }],
        findAttachment: combinations({
          isPlatformAdmin: [true, false],
          ownOrganizationId: [null],
          units: reaches,
          noteUnits: reaches,
        }),
      },
    };
  },
};

/** Statements of lists, which always get custom plans. */
const LISTS = new Set<unknown>([
  members.listMembers,
  members.countMembers,
  memberships.listAssignments,
  memberships.listLinkedUnits,
  units.listTree,
  access.listFilteredUnits,
  organizations.listOrganizations,
  organizations.countOrganizations,
  oauthGrants.listConnectedApps,
  oauthGrants.countConnectedApps,
  users.listUsers,
  users.countUsers,
  users.listOrganizationsOfUsers,
  roles.listRoles,
  oauthClients.listOauthClients,
  oauthClients.countOauthClients,
  tickets.listTickets,
  tickets.countTickets,
]);

/**
 * Whether the query counts all rows of a table: a total without filters. A search of fewer than three characters
 * counts as no filter.
 */
const countsEverything = (query: unknown, given: Record<string, unknown>) =>
  (query === users.countUsers ||
    query === organizations.countOrganizations ||
    query === tickets.countTickets) &&
  ["member", "organizations", "units", "organizationId", "reporterId"].every(
    (name) => (given[name] ?? null) === null,
  ) &&
  (given.search === null || String(given.search).length < 3);

/**
 * Whether a search matches more than a thousand users. Then it depends on the numbers of tickets and users which of
 * the two tables PostgreSQL scans.
 */
const findsManyPeople = (table: string, { search, found, organizationId }: Record<string, unknown>) =>
  (table === "users" || (table === "tickets" && organizationId === null)) &&
  typeof search === "string" &&
  found === null;

/**
 * Whether a reach covers most rows of `membership_units`. The big organization has most of them, and 1,500 of its
 * units have three quarters; then a sequential scan costs about as much as an index scan, and PostgreSQL's choice
 * depends on its statistics sample.
 */
const asksForMostOf = (table: string, given: Record<string, unknown>) =>
  table === "membership_units" && Array.isArray(given.units) && given.units.length >= 1_500;

for (const [feature, prepare] of Object.entries(planned))
  test(`no statement of ${feature} scans a large table sequentially`, async () => {
    const { queries, own, cases = {} } = prepare();
    const names = Object.keys(queries).filter((name) => queries[name] instanceof PreparedQuery);
    expect(Object.keys(cases).filter((name) => !names.includes(name))).toEqual([]);
    const bad = new Set<string>();
    for (const name of names) {
      const query = queries[name] as AnyQuery;
      const values = (cases[name] ?? [{}]).map((given) => {
        const all: Values = { ...usual(), ...own, ...given };
        expect([name, query.parameters.filter((parameter) => !(parameter in all))]).toEqual([name, []]);
        return Object.fromEntries(query.parameters.map((parameter) => [parameter, all[parameter]]));
      });
      for (const scan of await scans(name, query, values)) bad.add(scan);
    }
    expect([...bad]).toEqual([]);
  });

test("ending the sessions of an organization and of a member scans no large table sequentially", async () => {
  const { userId } = person;
  const bad = [
    ...(await scans("deleteSessionsOfOrganization", sessions.deleteSessionsOfOrganization, [
      { organizationId: neighbours[0] },
    ])),
    ...(await scans("deleteSessionsOfMember", sessions.deleteSessionsOfMember, [
      { organizationId: big.id, userId },
    ])),
  ];
  expect(bad).toEqual([]);
});

test("renaming a user scans no large table", async () => {
  await connection.unsafe("SET plan_cache_mode = auto");
  const plan = await explain(
    connection,
    `UPDATE memberships SET sort_name = '' WHERE user_id = '${person.userId}'`,
  );
  expect(tablesScanned(plan)).toEqual([]);
});

/** Returns a line for each large table that a plan of the query scans sequentially, with the values that caused it. */
async function scans(name: string, query: AnyQuery, values: Values[]): Promise<string[]> {
  if (values.length === 0) return [];
  const isList = LISTS.has(query);
  await connection.unsafe(`SET plan_cache_mode = ${isList ? "force_custom_plan" : "auto"}`);
  return prepared(connection, query.text, async (execute) => {
    const found: string[] = [];
    for (let use = 0; use < (isList ? values.length : Math.max(values.length, USES)); use += 1) {
      const given = values[use % values.length] ?? {};
      if (countsEverything(query, given)) continue;
      const plan = await explain(connection, execute(query.parameters.map((parameter) => given[parameter])));
      for (const table of tablesScanned(plan)) {
        if (asksForMostOf(table, given) || findsManyPeople(table, given)) continue;
        found.push(`${table} by ${name} ${inShort(given)}`);
      }
    }
    return found;
  });
}

/** Returns the large tables that a plan scans sequentially at any node. */
const tablesScanned = (plan: Plan): string[] =>
  nodesOf(plan)
    .filter((node) => node["Node Type"] === "Seq Scan")
    .map((node) => wholeTable(node["Relation Name"] ?? ""))
    .filter((table) => BIG_TABLES.has(table));

const inShort = (given: Values) =>
  JSON.stringify(given, (_key, value) =>
    Array.isArray(value) && value.length > 1 ? `${value.length} of them` : value,
  );
