import { expect, test } from "bun:test";
import { approveAs, beginAs, grantsOf, insertClient, queryOf } from "../../support/apps.ts";
import type { ApiResponse, Caller } from "../../support/caller.ts";
import { type AcquiredLock, holdOrganizationLock, holdUserLock, inLine } from "../../support/locks.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { race } from "../../support/race.ts";
import { raceCluster } from "../../support/race-cluster.ts";
import { inAnotherBrowser, resetToken } from "../../support/sessions.ts";

/* Approvals against what ends grants, in each order and on two instances (rules 46.5, 46.8). */

const { t, urls, url } = await raceCluster();
const client = await insertClient(t);
const root = await t.platformAdmin();
const organization = await createOrganization(t);

type World = { person: Caller; unitId: string; clientId: string };
type Ending = {
  lock: (world: World) => Promise<AcquiredLock>;
  /** Prepares the ending; returns what ends. */
  prepare: (world: World) => Promise<() => Promise<ApiResponse>>;
  /** What an approval gets that comes after it. */
  refusal: string;
};

const ofPerson = ({ person }: World) => holdUserLock(t, person.email);
const ofOrganization = () => holdOrganizationLock(t, organization.id);

const ENDINGS: Record<string, Ending> = {
  "a password reset": {
    lock: ofPerson,
    prepare: async ({ person }) => {
      const token = await resetToken(t, person.email);
      const body = { token, newPassword: "another wide blue yonder" };
      return () => t.anonymous(urls[1]).post("/api/auth/reset-password", body);
    },
    refusal: "401 UNAUTHENTICATED",
  },
  "the end of all other sessions": {
    lock: ofPerson,
    prepare: async ({ person }) => {
      const other = await inAnotherBrowser(person, urls[1]);
      return () => other.delete("/api/profile/sessions");
    },
    refusal: "401 UNAUTHENTICATED",
  },
  "a promotion to platform administrator": {
    lock: ofPerson,
    prepare: async ({ person }) => {
      const path = `/api/users/${idOf(person)}`;
      return () => root.at(urls[1]).patch(path, { isPlatformAdmin: true });
    },
    refusal: "403 FORBIDDEN",
  },
  "the removal of the member": {
    lock: ofOrganization,
    prepare: async ({ person }) => {
      const path = `/api/members/${idOf(person)}`;
      return () => organization.admin.at(urls[1]).delete(path);
    },
    refusal: "401 UNAUTHENTICATED",
  },
  "a narrower policy": {
    lock: ofOrganization,
    prepare: async () => () =>
      organization.admin.at(urls[1]).patch("/api/organization", { connectedApps: "off" }),
    refusal: "403 CLIENT_NOT_APPROVED",
  },
  "the deletion of the unit": {
    lock: ofOrganization,
    prepare:
      async ({ unitId }) =>
      () =>
        organization.admin.at(urls[1]).delete(`/api/units/${unitId}`),
    refusal: "400 VALIDATION_FAILED",
  },
  "the deletion of the app": {
    lock: ofOrganization,
    prepare: async ({ clientId }) => {
      const path = `/api/organization/oauth-clients/${clientId}`;
      return () => organization.admin.at(urls[1]).delete(path);
    },
    refusal: "403 CLIENT_NOT_APPROVED",
  },
};

/** A member to whom the request of an app is shown, which the organization registered. */
async function asked(of: Organization, clientId: string) {
  const unitId = await of.unit(crypto.randomUUID());
  const person = (await of.member({ role: "UNIT_ADMIN" })).at(urls[0]);
  const shown = await beginAs(person, queryOf(clientId));
  const approve = () => approveAs(person, shown, { organizationId: of.id, unitId });
  return { person, unitId, clientId, approve };
}
async function askedOfOwn() {
  await t.sql("UPDATE organizations SET connected_apps = NULL WHERE id = $1", [organization.id]);
  return asked(organization, await insertClient(t, { organizationId: organization.id }));
}
const liveGrants = async (person: Caller) =>
  (await grantsOf(t, person)).filter(({ ended_at: endedAt }) => endedAt === null);

for (const [name, { lock, prepare, refusal }] of Object.entries(ENDINGS)) {
  test(`${name} before an approval: it is refused`, async () => {
    const world = await askedOfOwn();
    const end = await prepare(world);
    const [ended, approved] = await inLine(await lock(world), end, world.approve);
    expect(ended?.status).toBeLessThan(300);
    expect(approved && outcome(approved)).toBe(refusal);
    expect(await grantsOf(t, world.person)).toEqual([]);
  });

  test(`${name} after an approval: no grant is left`, async () => {
    const world = await askedOfOwn();
    const end = await prepare(world);
    const [approved, ended] = await inLine(await lock(world), world.approve, end);
    expect(approved && outcome(approved)).toBe("200");
    expect(ended?.status).toBeLessThan(300);
    expect(await liveGrants(world.person)).toEqual([]);
  });

  test(`${name} beside an approval: no grant is left`, async () => {
    const world = await askedOfOwn();
    const end = await prepare(world);
    const [approved, ended] = await Promise.all([world.approve(), end()]);
    expect(ended.status).toBeLessThan(300);
    expect(["200", refusal]).toContain(outcome(approved));
    expect(await liveGrants(world.person)).toEqual([]);
  });
}

test("an app that the operator deletes beside approvals leaves no grant", async () => {
  const clientId = await insertClient(t);
  const worlds = await race(6, async () => asked(await createOrganization(t), clientId));
  const end = () => root.at(urls[1]).delete(`/api/oauth-clients/${clientId}`);
  const [ended, ...approvals] = await Promise.all([end(), ...worlds.map(({ approve }) => approve())]);
  expect(ended.status).toBe(204);
  for (const approval of approvals) expect(["200", "403 CLIENT_NOT_APPROVED"]).toContain(outcome(approval));
  for (const { person } of worlds) expect(await liveGrants(person)).toEqual([]);
});

test("a request that is approved many times at once is approved once (A.10)", async () => {
  const person = organization.admin;
  const shown = await beginAs(person, queryOf(client));
  const outcomes = await race(20, async (index) =>
    outcome(await approveAs(person.at(url(index)), shown, { organizationId: organization.id })),
  );
  expect(outcomes.sort()).toEqual(["200", ...Array(19).fill("409 CONFLICT")]);
  const codes = await t.sql(
    "SELECT FROM oauth_codes c JOIN oauth_grants g ON g.id = c.grant_id WHERE g.user_id = $1",
    [idOf(person)],
  );
  expect(codes).toHaveLength(1);
});

test("the limits hold for approvals at once, in several organizations (46.9)", async () => {
  const [first, second] = [await createOrganization(t), organization];
  const person = first.admin;
  await second.add(person, { role: "MEMBER" });
  const requests = await race(14, () => beginAs(person, queryOf(client)));
  const outcomes = await race(14, async (index) =>
    outcome(
      await approveAs(person.at(url(index)), requests[index], {
        organizationId: (index % 2 === 0 ? first : second).id,
      }),
    ),
  );
  expect(outcomes).toEqual(Array(14).fill("200"));
  const perOrganization = Map.groupBy(await liveGrants(person), (row) => row.organization_id);
  expect([...perOrganization.values()].map((rows) => rows.length)).toEqual([5, 5]);
});
