import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { exactlyOne } from "../../../src/platform/db/prepared-query.ts";
import { allEvents, eventPage } from "../../support/audit.ts";
import { AuditOracle, type Filters, type Viewer, visiblePart } from "../../support/audit-oracle.ts";
import { type ApiResponse, type Caller, claimsOf } from "../../support/caller.ts";
import { accept, expire, INVITATIONS, invite, settle, tokenFor } from "../../support/invitations.ts";
import { assignments, Organization, type RoleAssignment } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { FEWER_ROUNDS } from "../../support/race.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { shrinkFor } from "../../support/shrinking.ts";
import { TEST_TIMEOUT_MS } from "../../support/slow-tests.ts";

/*
 * Property test: in random organizations, the permissions of random users change. The events that administrators of
 * random units and an organization-wide auditor then read must equal those of the oracle in support/audit-oracle.ts.
 */

/** For units with more than 3 users, the service uses another query; random units have fewer and more. */
const t = await startService({}, { maxUserIdsInFilter: 3 });
const PEOPLE = 7;
const SHRINK_MS = 10_000;
/** Number of users who are members from the start; the others can be invited. */
const FIRST = 4;
let founder: Caller;
let people: Caller[];

beforeAll(async () => {
  founder = await t.person();
  people = [];
  while (people.length < PEOPLE) people.push(await t.person());
});

/** A number selects one of the units, users or invitations that exist when it is used (modulo their count). */
const pick = fc.nat(9_999);
const one = <T>(all: T[], number: number): T | undefined => all[number % Math.max(all.length, 1)];
const place = fc.option(pick, { freq: 4 });
const given = fc.record({
  role: fc.constantFrom("ORG_ADMIN", "ORG_ADMIN", "UNIT_ADMIN", "MEMBER", "own"),
  place,
});
const gives = fc.array(given, { minLength: 1, maxLength: 3 });
const kinds = {
  roles: fc.record({ person: pick, gives }),
  units: fc.record({ person: pick, units: fc.array(pick, { maxLength: 3 }) }),
  remove: fc.record({ person: pick }),
  leave: fc.record({}),
  create: fc.record({ place }),
  rename: fc.record({ unit: pick }),
  move: fc.record({ unit: pick, place }),
  delete: fc.record({ unit: pick }),
  invite: fc.record({ person: pick, gives }),
  resend: fc.record({ invitation: pick }),
  revoke: fc.record({ invitation: pick }),
  expire: fc.record({ invitation: pick }),
  accept: fc.record({ person: pick }),
  role: fc.record({}),
  organization: fc.record({}),
};
type Grant = { role: string; place: number | null };
type Kind = keyof typeof kinds;
type Values = {
  person: number;
  gives: Grant[];
  units: number[];
  unit: number;
  place: number | null;
  invitation: number;
};
type Step = { kind: Kind; values: Partial<Values> };
const WEIGHTS: Partial<Record<Kind, number>> = {
  roles: 8,
  units: 8,
  remove: 2,
  create: 3,
  move: 4,
  delete: 6,
  invite: 10,
  resend: 3,
  revoke: 2,
  accept: 9,
};
const step: fc.Arbitrary<{ actor: number; does: Step }> = fc.record({
  actor: pick,
  does: fc.oneof(
    ...(Object.keys(kinds) as Kind[]).map((kind) => ({
      weight: WEIGHTS[kind] ?? 1,
      arbitrary: (kinds[kind] as fc.Arbitrary<Partial<Values>>).map((values) => ({ kind, values })),
    })),
  ),
});
type Plan = {
  below: number[];
  grants: Grant[][];
  steps: { actor: number; does: Step }[];
  roots: number[];
  asked: number[];
  viewer: number;
  search: string;
  pageSize: number;
};
/** Search texts that match many, some or no events; "email" is replaced by a user's email address. */
const SEARCHES = [
  "UNIT_",
  "member_",
  "_invit",
  "127.0.0.1",
  "@example.com",
  "person-",
  "nothing at all",
  "email",
];
const plan: fc.Arbitrary<Plan> = fc.record({
  below: fc.array(fc.nat(8), { minLength: 2, maxLength: 7, size: "max" }),
  grants: fc.array(gives, { minLength: FIRST, maxLength: FIRST }),
  steps: fc.array(step, { minLength: 40, maxLength: 90, size: "max" }),
  roots: fc.array(pick, { minLength: 1, maxLength: 2 }),
  asked: fc.array(pick, { minLength: 1, maxLength: 2 }),
  viewer: pick,
  search: fc.constantFrom(...SEARCHES),
  pageSize: fc.integer({ min: 1, max: 9 }),
});

test("unit administrators read exactly the events that rules 16.13 to 16.15 allow, and organization-wide auditors all", () =>
  fc.assert(
    fc.asyncProperty(
      fc.noBias(plan),
      shrinkFor(SHRINK_MS, async (random) => {
        const run = await Run.grow(random);
        for (const { actor, does } of random.steps) await run.try(actor, does);
        await run.compare(random);
      }),
    ),
    { numRuns: FEWER_ROUNDS, interruptAfterTimeLimit: TEST_TIMEOUT_MS - 10_000 },
  ));

const LIVE_UNITS = "SELECT id FROM units WHERE organization_id = $1 AND NOT is_deleted ORDER BY id";
const LIVE_MEMBERS = "SELECT user_id AS id FROM memberships WHERE organization_id = $1 AND NOT is_deleted";
const PENDING =
  "SELECT id FROM user_invitations WHERE organization_id = $1 AND accepted_at IS NULL AND NOT is_deleted ORDER BY id";

/** A random organization and the random changes in it. */
class Run {
  private units: string[] = [];
  private ownRole = "";

  private constructor(private readonly org: Organization) {}

  static async grow({ below, grants, roots }: Plan): Promise<Run> {
    const { id } = exactlyOne(
      await t.sql<{ id: string }>(
        "INSERT INTO organizations (name, slug) VALUES ('Random', $1) RETURNING id",
        [crypto.randomUUID()],
      ),
    );
    const run = new Run(new Organization(t, id, founder));
    await run.org.add(founder, { role: "ORG_ADMIN" });
    await run.enter(founder);
    run.ownRole = await run.org.role("Own", "Units.Read", "Audit.Read");
    for (const [index, number] of below.entries())
      run.units.push(
        await run.org.unit(`Unit ${index}`, number === 0 ? null : (one(run.units, number) ?? null)),
      );
    for (const [index, person] of people.slice(0, FIRST).entries()) {
      const grant = grants[index];
      if (grant)
        await run.org.addUser(idOf(person), ...run.given([...grant, { role: "MEMBER", place: index }]));
    }
    // The founder is a member of some unit, so that unit administrators see most changes.
    await run.org.link(founder, one(run.units, roots[0] ?? 0) ?? "");
    return run;
  }

  private given(all: Grant[]): RoleAssignment[] {
    return all.map(({ role, place }) => ({
      role: role === "own" ? this.ownRole : role,
      unit: place === null ? null : (one(this.units, place) ?? null),
    }));
  }

  /** Switches a user's session to the organization; returns false if the user is not a member. */
  private async enter(person: Caller): Promise<boolean> {
    const isThere = () => claimsOf(person.accessToken ?? "").organization?.id === this.org.id;
    if (isThere() && (await person.refresh()).status === 200 && isThere()) return true;
    const go = () => person.post("/api/auth/organization", { organizationId: this.org.id });
    let { status } = await go();
    if (status === 401) {
      await person.login();
      ({ status } = await go());
    }
    return status === 200;
  }

  private async ids(text: string): Promise<string[]> {
    return (await t.sql<{ id: string }>(text, [this.org.id])).map(({ id }) => id);
  }

  /** Tries a change; a refused change writes no event. */
  async try(actor: number, { kind, values }: Step): Promise<void> {
    const { person = 0, gives = [], unit = 0, place = null, invitation = 0 } = values;
    const live = await this.ids(LIVE_MEMBERS);
    const members = people.filter((one) => live.includes(idOf(one)));
    const others = people.filter((one) => !live.includes(idOf(one)));
    const caller = one([founder, ...members], actor) as Caller;
    const target =
      one(kind === "invite" || kind === "accept" ? others : members, person) ?? (people[0] as Caller);
    if (kind === "accept") return this.accept(target);
    this.units = await this.ids(LIVE_UNITS);
    if (!(await this.enter(caller))) return;
    const unitId = one(this.units, unit);
    const parentId = place === null ? null : (one(this.units, place) ?? null);
    const name = crypto.randomUUID();
    const invitations = await this.ids(PENDING);
    const invitationId = one(invitations, invitation);
    const invited = invitationId === undefined ? undefined : { id: invitationId };
    const send: Record<Exclude<Kind, "accept">, () => Promise<ApiResponse | unknown>> = {
      roles: () => caller.patch(`/api/members/${idOf(target)}/roles`, assignments(...this.given(gives))),
      units: () => {
        const unitIds = (values.units ?? []).flatMap((number) => one(this.units, number) ?? []);
        return caller.patch(`/api/members/${idOf(target)}/units`, { unitIds: [...new Set(unitIds)] });
      },
      remove: () => caller.delete(`/api/members/${idOf(target)}`),
      leave: async () => caller !== founder && caller.post("/api/organization/leave"),
      create: () => caller.post("/api/units", { name, parentId }),
      rename: () => caller.patch(`/api/units/${unitId}`, { name }),
      move: () => caller.patch(`/api/units/${unitId}`, { parentId }),
      delete: () => caller.delete(`/api/units/${unitId}`),
      invite: () => invite(caller, { email: target.email, roles: this.given(gives) }),
      resend: async () => {
        if (invited === undefined) return;
        await settle(t, invited);
        await caller.post(`${INVITATIONS}/${invited.id}/resend`);
      },
      revoke: async () => invited && caller.delete(`${INVITATIONS}/${invited.id}`),
      expire: async () => invited && expire(t, invited),
      role: () => caller.post("/api/roles", { name, permissions: [] }),
      organization: () => caller.patch("/api/organization", { name }),
    };
    const response = (await send[kind as Exclude<Kind, "accept">]()) as ApiResponse | undefined;
    if (kind === "create" && response?.status === 201) this.units.push(response.body.id);
  }

  private async accept(person: Caller): Promise<void> {
    const [pending] = await t.sql(
      "SELECT FROM user_invitations WHERE organization_id = $1 AND email = $2 AND accepted_at IS NULL AND NOT is_deleted",
      [this.org.id, person.email],
    );
    if (pending === undefined) return;
    await accept(person, { token: await tokenFor(t, person.email) });
  }

  async compare({ roots, asked, viewer, search: drawn, pageSize }: Plan): Promise<void> {
    const live = await this.ids(LIVE_UNITS);
    const some = (numbers: number[]) => [...new Set(numbers.flatMap((number) => one(live, number) ?? []))];
    const reader = one(people, viewer) as Caller;
    const auditor = one(people, viewer + 1) as Caller;
    const readerRoots = some(roots);
    await this.give(auditor, { role: this.ownRole, unit: null });
    // If all units were deleted, there is no unit administrator to compare.
    if (readerRoots.length > 0)
      await this.give(reader, ...readerRoots.map((unit) => ({ role: "UNIT_ADMIN", unit })));

    const oracle = await AuditOracle.of(t, this.org.id);
    const member = [idOf(founder), idOf(reader), idOf(one(people, viewer + 2) as Caller)];
    const search = drawn === "email" ? (one(people, viewer + 3) as Caller).email : drawn;
    const allFilters: Filters[] = [
      {},
      { unit: some(asked) },
      { member },
      { unit: some([...asked, ...roots]), member },
      { search },
      { unit: some(asked), search },
      // Users inside and outside the reader's units.
      ...[founder, ...people].map((person) => ({ actorId: idOf(person), search })),
    ];
    for (const filters of allFilters) {
      if (filters.unit?.length === 0) continue;
      await this.check(oracle, auditor, { userId: idOf(auditor), roots: null }, filters, pageSize);
      if (readerRoots.length > 0)
        await this.check(oracle, reader, { userId: idOf(reader), roots: readerRoots }, filters, pageSize);
    }
  }

  /** Sets a user's roles in the organization, and switches their session to it. */
  private async give(person: Caller, ...roles: RoleAssignment[]): Promise<void> {
    await this.enter(founder);
    await this.org.addUser(idOf(person), ...roles);
    const path = `/api/members/${idOf(person)}/roles`;
    expectStatus(await founder.patch(path, assignments(...roles)), 200);
    expect(await this.enter(person)).toBe(true);
  }

  private async check(
    oracle: AuditOracle,
    caller: Caller,
    viewer: Viewer,
    filters: Filters,
    pageSize: number,
  ) {
    const expected = oracle.read(viewer, filters);
    const query = Object.entries(filters)
      .flatMap(([name, values]) => [values].flat().map((value) => `${name}=${encodeURIComponent(value)}`))
      .join("&");
    expect((await allEvents(caller, query)).map(visiblePart)).toEqual(expected);
    expect((await allEvents(caller, `order=asc&${query}`)).map(visiblePart)).toEqual(expected.toReversed());
    const { data, total } = await eventPage(caller, `page=2&pageSize=${pageSize}&${query}`);
    expect([total, data.map(visiblePart)]).toEqual([expected.length, expected.slice(pageSize, 2 * pageSize)]);
  }
}
