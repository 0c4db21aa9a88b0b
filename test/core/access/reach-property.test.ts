import { beforeAll, test } from "bun:test";
import fc from "fast-check";
import type { Caller } from "../../support/caller.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { FEWER_ROUNDS } from "../../support/race.ts";
import {
  type ExpectedOrganization,
  ExpectedPermissions,
  type Grants,
  isSame,
  Oracle,
  type RoleAssignment,
} from "../../support/reach.ts";
import { MAX_MEMBERS, type Plan, plan, type Step } from "../../support/reach-plan.ts";
import {
  createOtherOrganization,
  newUser,
  type OtherOrganization,
  StoredOrganization,
} from "../../support/reach-world.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { TEST_TIMEOUT_MS } from "../../support/slow-tests.ts";

/*
 * Property test: random members of random organizations send reads and writes, and every response must match the
 * model in support/reach.ts. A failure prints the organization, the request, and the expected and actual response.
 */

const t = await startService();
const CALLERS = 5;

/** An account that can sign in. */
type Account = { caller: Caller; userId: string; lastName: string };
const accounts: Account[] = [];
const others: { userId: string; lastName: string }[] = [];
let foreign: OtherOrganization;

beforeAll(async () => {
  while (accounts.length < CALLERS) {
    const caller = await t.person();
    accounts.push({ caller, userId: idOf(caller), lastName: "Lovelace" });
  }
  const names = ["Ωμέγα", "adams", "Ångström", "Zeta", "Adams", "lovelace"];
  for (const lastName of names) others.push({ userId: await newUser(t, lastName), lastName });
  if (accounts.length + others.length !== 1 + MAX_MEMBERS) throw new Error("Not as many as plans have");
  foreign = await createOtherOrganization(t);
});

test("every member reads and changes exactly the records within their reach", () =>
  fc.assert(
    fc.asyncProperty(plan, async (random) => {
      const run = await Run.grow(random);
      for (const account of run.present()) await run.look(account, { filter: [], people: [] });
      for (const grant of random.grants) await run.grant(grant);
      for (const step of random.steps) await run.try(step);
    }),
    { numRuns: FEWER_ROUNDS, interruptAfterTimeLimit: TEST_TIMEOUT_MS - 10_000, endOnFailure: true },
  ));

/** One random organization and the requests sent in it. */
class Run {
  private readonly world: ExpectedOrganization;
  private readonly oracle: Oracle;
  /** The grants in each user's current access token, by user id. */
  private readonly tokens = new Map<string, Grants>();

  private constructor(private readonly grown: StoredOrganization) {
    this.world = grown.world;
    this.oracle = new Oracle(grown.world);
  }

  static async grow(random: Plan): Promise<Run> {
    const run = new Run(await StoredOrganization.grow(t, foreign, random, [...accounts, ...others]));
    const [founder, ...rest] = accounts;
    if (founder === undefined) throw new Error("Nobody there");
    await run.enter(founder, "switch");
    for (const { unit, to } of random.moves) await run.write(founder, false, { kind: "move", unit, to });
    for (const [index, account] of rest.entries())
      await run.enter(account, random.members[index]?.enters ?? "switch");
    return run;
  }

  /** Makes the organization active for an account, by switching to it, then by refresh or sign-in if `way` says so. */
  private async enter({ caller, userId }: Account, way: "switch" | "refresh" | "login"): Promise<void> {
    if (!this.world.people.get(userId)?.isMember) return;
    const change = () => caller.post("/api/auth/organization", { organizationId: this.grown.id });
    if ((await change()).status === 401) {
      // Removal from another organization ended their last session.
      await caller.login();
      expectStatus(await change(), 200);
    }
    if (way === "login") expectStatus(await caller.login(), 200);
    if (way === "refresh") expectStatus(await caller.refresh(), 200);
    this.tokens.set(userId, this.world.grantsOf(userId));
  }

  /** Lists the accounts that are currently members. */
  present(): Account[] {
    return accounts.filter(({ userId }) => this.world.people.get(userId)?.isMember);
  }

  async grant({ person, assignment }: Plan["grants"][number]): Promise<void> {
    const present = this.present();
    const account = present[person % present.length];
    if (account !== undefined) await this.grown.give(account.userId, assignment);
  }

  async try({ actor, isStale, does, filter, people }: Step): Promise<void> {
    const candidates = accounts.filter(({ userId }) => this.tokens.has(userId));
    const account = candidates[actor % candidates.length];
    if (account === undefined) return;
    if (!isStale && !(await this.renew(account))) return;
    await this.write(account, isStale, does);
    if (await this.renew(account)) await this.look(account, { filter, people });
  }

  /** Refreshes the access token; returns false if the account is no longer a member. */
  private async renew({ caller, userId }: Account): Promise<boolean> {
    if (!this.world.people.get(userId)?.isMember) return false;
    expectStatus(await caller.refresh(), 200);
    this.tokens.set(userId, this.world.grantsOf(userId));
    return true;
  }

  /** Compares every list and record that the caller can read with the model. */
  async look(account: Account, { filter, people }: { filter: number[]; people: number[] }): Promise<void> {
    const { caller, userId } = account;
    const power = new ExpectedPermissions(this.world, [this.world.grantsOf(userId)]);
    const see = async (
      permission: string,
      path: string,
      expected: () => unknown,
      // biome-ignore lint/suspicious/noExplicitAny: the body of any response
      present: (body: any) => unknown,
      headers: Record<string, string> = {},
    ) => {
      const answer = await caller.get(path, { headers });
      const asked = `GET ${path}${Object.entries(headers).map(([name, value]) => ` with ${name}: ${value}`)}`;
      const found = answer.status === 200 ? present(answer.body) : outcome(answer);
      this.compare(account, asked, power.has(permission) ? expected() : "403 FORBIDDEN", found);
    };

    const unitIds = filter.length > 0 ? filter.map((number) => this.grown.unit(number)) : null;
    const memberIds = people.length > 0 ? people.map((number) => this.grown.person(number)) : null;
    const units = (body: { data: Record<string, unknown>[]; total: number }) => ({
      total: body.total,
      units: body.data.map(({ createdAt: _, ...unit }) => unit),
    });
    const expectedUnits = (ids: string[] | null) => () => {
      const seen = this.oracle.units(power, ids);
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
          const seen = this.oracle.members(power, { unit, member });
          return { total: seen.length, members: seen };
        },
        members,
      );
    }
    for (const id of [...this.world.people.keys(), foreign.userId]) {
      const expected = () => this.oracle.member(power, id) ?? "404 NOT_FOUND";
      await see("Members.Read", `/api/members/${id}`, expected, shown);
    }
    await see(
      "Members.Read",
      "/api/members/unit-options",
      () => this.oracle.unitOptions(power),
      (body) => body,
    );
    await see(
      "Members.Read",
      "/api/members/role-options",
      () => this.oracle.roleOptions(power),
      (body: { id: string }[]) => body.map(({ id }) => id).sort(),
    );
  }

  /** Sends a write and compares its outcome with the model. */
  private async write(account: Account, isStale: boolean, does: Step["does"]): Promise<void> {
    const { caller, userId } = account;
    const now = this.world.grantsOf(userId);
    const then = this.tokens.get(userId) ?? now;
    const power = new ExpectedPermissions(this.world, [then, now]);
    const token = isStale ? " (with the token of before)" : "";
    const drawn = this.grown.draw();
    const send = async (method: string, path: string, body: unknown, expected: string) => {
      const answer = await caller.send(method, path, body);
      const asked = `${method} ${path} ${body === undefined ? "" : JSON.stringify(body)}${token}`;
      this.compare(account, asked, expected, outcome(answer), drawn);
      this.grown.history.push(this.grown.say(`${userId}: ${asked}: ${expected}`));
      return answer;
    };

    switch (does.kind) {
      case "roles": {
        const id = this.grown.person(does.person, power, "Members.UpdateRoles");
        const reach = power.has("Members.UpdateRoles")
          ? power.reach("Members.UpdateRoles")
          : new Set<string>();
        const kept = does.keeps ? (this.world.people.get(id)?.assignments ?? []) : [];
        const asked = does.wanted.map(({ role, place }) => ({
          roleId: this.grown.role(role),
          unitId:
            (does.toOwn ? this.grown.unitOf(userId, place) : null) ??
            this.grown.place(place, power, "Members.UpdateRoles"),
        }));
        const inReach = kept.filter(({ unitId }) => reach === null || (unitId !== null && reach.has(unitId)));
        const wanted = distinct([...inReach, ...asked]);
        const expected = this.oracle.changeRoles(power, id, wanted);
        const answer = await send("PATCH", `/api/members/${id}/roles`, { assignments: wanted }, expected);
        const person = this.world.people.get(id);
        if (answer.status === 200 && person !== undefined)
          this.compare(
            account,
            "the member in the answer",
            this.oracle.shown(person, reach),
            shown(answer.body),
          );
        return;
      }
      case "units": {
        const id = this.grown.person(does.person, power, "Members.UpdateUnits");
        const reach = power.has("Members.UpdateUnits")
          ? power.reach("Members.UpdateUnits")
          : new Set<string>();
        const kept = does.keeps ? [...(this.world.people.get(id)?.links ?? [])] : [];
        const inReach = kept.filter((unitId) => reach === null || reach.has(unitId));
        const unitIds = [
          ...new Set([
            ...inReach,
            ...does.wanted.map((number) => this.grown.unit(number, power, "Members.UpdateUnits")),
          ]),
        ];
        const expected = this.oracle.changeUnits(power, id, unitIds);
        await send("PATCH", `/api/members/${id}/units`, { unitIds }, expected);
        return;
      }
      case "remove": {
        const id = this.grown.person(does.person, power, "Members.Delete");
        await send("DELETE", `/api/members/${id}`, undefined, this.oracle.remove(power, userId, id));
        return;
      }
      case "create": {
        const parentId = this.grown.place(does.parent, power, "Units.Create");
        const expected = this.oracle.createUnit(power, parentId);
        const answer = await send("POST", "/api/units", { name: "New", parentId }, expected);
        if (answer.status === 201) this.grown.addUnit(answer.body.id, "New", parentId);
        return;
      }
      case "rename": {
        const id = this.grown.unit(does.unit, power, "Units.Update");
        const change = { name: "Renamed" };
        await send("PATCH", `/api/units/${id}`, change, this.oracle.updateUnit(power, id, change));
        return;
      }
      case "move": {
        const id = this.grown.unit(does.unit, power, "Units.Update");
        const change = { parentId: this.grown.place(does.to, power, "Units.Update") };
        await send("PATCH", `/api/units/${id}`, change, this.oracle.updateUnit(power, id, change));
        return;
      }
      case "delete": {
        const id = this.grown.unit(does.unit, power, "Units.Delete");
        await send("DELETE", `/api/units/${id}`, undefined, this.oracle.deleteUnit(power, id));
        return;
      }
    }
  }

  private compare(
    { userId }: Account,
    asked: string,
    expected: unknown,
    found: unknown,
    drawn = this.grown.draw(),
  ) {
    if (Bun.deepEquals(expected, found)) return;
    const lines = [
      `${userId} asks: ${asked}`,
      `expected: ${JSON.stringify(expected)}`,
      `found:    ${JSON.stringify(found)}`,
    ];
    throw new Error(`\n${this.grown.say(lines.join("\n"))}\n\n${drawn}`);
  }
}

const distinct = (all: RoleAssignment[]) =>
  all.filter((one, index) => all.findIndex((other) => isSame(one, other)) === index);

type ShownMember = {
  userId: string;
  assignments: { role: { id: string }; unit: { id: string } | null }[];
  units: { id: string }[];
};

/** Reduces a member of a response to the fields that the model predicts. */
const shown = ({ userId, assignments, units }: ShownMember) => ({
  userId,
  assignments: assignments.map(({ role, unit }) => `${role.id} in ${unit?.id ?? null}`).sort(),
  units: units.map(({ id }) => id).sort(),
});
