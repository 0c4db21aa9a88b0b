import { beforeAll, test } from "bun:test";
import fc from "fast-check";
import { outcome } from "../../support/outcomes.ts";
import { FEWER_ROUNDS } from "../../support/race.ts";
import { ExpectedPermissions } from "../../support/reach.ts";
import { MAX_MEMBERS, type Plan, plan, type Step } from "../../support/reach-plan.ts";
import { type Account, newAccounts, ReachRun, type ShownMember, shown } from "../../support/reach-run.ts";
import { createOtherOrganization, newUser, type OtherOrganization } from "../../support/reach-world.ts";
import { sharedService } from "../../support/service.ts";
import { TEST_TIMEOUT_MS } from "../../support/slow-tests.ts";

/*
 * Property test: random members of random organizations send reads and writes, and every response must match the
 * model in support/reach.ts. A failure prints the organization, the request, and the expected and actual response.
 */

const t = await sharedService();
const CALLERS = 5;

let accounts: Account[];
const others: { userId: string; lastName: string }[] = [];
let foreign: OtherOrganization;

beforeAll(async () => {
  accounts = await newAccounts(t, CALLERS);
  const names = ["Ωμέγα", "adams", "Ångström", "Zeta", "Adams", "lovelace"];
  for (const lastName of names) others.push({ userId: await newUser(t, lastName), lastName });
  if (accounts.length + others.length !== 1 + MAX_MEMBERS) throw new Error("Not as many as plans have");
  foreign = await createOtherOrganization(t);
});

test("every member reads and changes exactly the records within their reach", () =>
  fc.assert(
    fc.asyncProperty(plan, async (random) => {
      const run = await ReachRun.grow(t, { foreign, accounts, others }, random);
      for (const account of run.present()) await look(run, account, { filter: [], people: [] });
      for (const grant of random.grants) await give(run, grant);
      for (const step of random.steps) await attempt(run, step);
    }),
    { numRuns: FEWER_ROUNDS, interruptAfterTimeLimit: TEST_TIMEOUT_MS - 10_000, endOnFailure: true },
  ));

async function give(run: ReachRun, { person, assignment }: Plan["grants"][number]): Promise<void> {
  const present = run.present();
  const account = present[person % present.length];
  if (account !== undefined) await run.grown.give(account.userId, assignment);
}

async function attempt(run: ReachRun, { actor, isStale, does, filter, people }: Step): Promise<void> {
  const candidates = accounts.filter(({ userId }) => run.tokens.has(userId));
  const account = candidates[actor % candidates.length];
  if (account === undefined) return;
  if (!isStale && !(await run.renew(account))) return;
  await run.write(account, isStale, does);
  if (await run.renew(account)) await look(run, account, { filter, people });
}

/** Compares every list and record that the caller can read with the model. */
async function look(
  run: ReachRun,
  account: Account,
  { filter, people }: { filter: number[]; people: number[] },
): Promise<void> {
  const { caller, userId } = account;
  const power = new ExpectedPermissions(run.world, [run.world.grantsOf(userId)]);
  const see = async (
    permission: string,
    path: string,
    expected: () => unknown,
    // biome-ignore lint/suspicious/noExplicitAny: the body of any response
    present: (body: any) => unknown,
    headers: Record<string, string> = {},
  ) => {
    const response = await caller.get(path, { headers });
    const asked = `GET ${path}${Object.entries(headers).map(([name, value]) => ` with ${name}: ${value}`)}`;
    const found = response.status === 200 ? present(response.body) : outcome(response);
    run.compare(account, asked, power.has(permission) ? expected() : "403 FORBIDDEN", found);
  };

  const unitIds = filter.length > 0 ? filter.map((number) => run.grown.unit(number)) : null;
  const memberIds = people.length > 0 ? people.map((number) => run.grown.person(number)) : null;
  const units = (body: { data: Record<string, unknown>[]; total: number }) => ({
    total: body.total,
    units: body.data.map(({ createdAt: _, ...unit }) => unit),
  });
  const expectedUnits = (ids: string[] | null) => () => {
    const seen = run.oracle.units(power, ids);
    return { total: seen.length, units: seen };
  };
  await see("Units.Read", "/api/units", expectedUnits(null), units);
  if (unitIds !== null) {
    const header = { "x-filter-unit": unitIds.join(",") };
    await see("Units.Read", "/api/units", expectedUnits(unitIds), units, header);
  }

  const members = (body: { data: ShownMember[]; total: number }) => ({
    total: body.total,
    members: body.data.map(shown),
  });
  const filters = [
    { unit: null, member: null },
    { unit: unitIds, member: null },
    { unit: unitIds, member: memberIds },
  ].filter(({ unit, member }, index) => index === 0 || unit !== null || member !== null);
  for (const { unit, member } of filters) {
    const query = [
      "pageSize=100",
      ...(unit ?? []).map((id) => `unit=${id}`),
      ...(member ?? []).map((id) => `member=${id}`),
    ].join("&");
    await see(
      "Members.Read",
      `/api/members?${query}`,
      () => {
        const seen = run.oracle.members(power, { unit, member });
        return { total: seen.length, members: seen };
      },
      members,
    );
  }
  for (const id of [...run.world.people.keys(), foreign.userId]) {
    const expected = () => run.oracle.member(power, id) ?? "404 NOT_FOUND";
    await see("Members.Read", `/api/members/${id}`, expected, shown);
  }
  await see(
    "Members.Read",
    "/api/members/unit-options",
    () => run.oracle.unitOptions(power),
    (body) => body,
  );
  await see(
    "Members.Read",
    "/api/members/role-options",
    () => run.oracle.roleOptions(power),
    (body: { id: string }[]) => body.map(({ id }) => id).sort(),
  );
}
