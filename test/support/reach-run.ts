import type { Caller } from "./caller.ts";
import { idOf, outcome } from "./outcomes.ts";
import {
  type ExpectedOrganization,
  ExpectedPermissions,
  type Grants,
  isSame,
  Oracle,
  type RoleAssignment,
} from "./reach.ts";
import type { Plan, Step } from "./reach-plan.ts";
import { type OtherOrganization, StoredOrganization } from "./reach-world.ts";
import { expectStatus, type Service } from "./service.ts";

/** An account that can sign in. */
export type Account = { caller: Caller; userId: string; lastName: string };

export async function newAccounts(t: Service, count: number): Promise<Account[]> {
  const callers: Caller[] = [];
  while (callers.length < count) callers.push(await t.person());
  return callers.map((caller) => ({ caller, userId: idOf(caller), lastName: "Lovelace" }));
}

type Given = {
  foreign: OtherOrganization;
  /** The first one founds the organization. */
  accounts: Account[];
  /** Further people, who never sign in. */
  others?: { userId: string; lastName: string }[];
};

/** A random organization, and the changes that its members make in it, each of which must have the outcome of the model. */
export class ReachRun {
  readonly world: ExpectedOrganization;
  readonly oracle: Oracle;
  /** The grants in each user's current access token, by user id. */
  readonly tokens = new Map<string, Grants>();

  private constructor(
    readonly grown: StoredOrganization,
    readonly accounts: Account[],
    readonly founder: Account,
  ) {
    this.world = grown.world;
    this.oracle = new Oracle(grown.world);
  }

  static async grow(t: Service, { foreign, accounts, others = [] }: Given, random: Plan): Promise<ReachRun> {
    const [founder, ...rest] = accounts;
    if (founder === undefined) throw new Error("Nobody there");
    const grown = await StoredOrganization.grow(t, foreign, random, [...accounts, ...others]);
    const run = new ReachRun(grown, accounts, founder);
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
    return this.accounts.filter(({ userId }) => this.world.people.get(userId)?.isMember);
  }

  /** Refreshes the access token; returns false if the account is no longer a member. */
  async renew({ caller, userId }: Account): Promise<boolean> {
    if (!this.world.people.get(userId)?.isMember) return false;
    expectStatus(await caller.refresh(), 200);
    this.tokens.set(userId, this.world.grantsOf(userId));
    return true;
  }

  /** Sends a write and compares its outcome with the model. */
  async write(account: Account, isStale: boolean, does: Step["does"]): Promise<void> {
    const { caller, userId } = account;
    const now = this.world.grantsOf(userId);
    const then = this.tokens.get(userId) ?? now;
    const power = new ExpectedPermissions(this.world, [then, now]);
    const token = isStale ? " (with the token of before)" : "";
    const drawn = this.grown.draw();
    const send = async (method: string, path: string, body: unknown, expected: string) => {
      const response = await caller.send(method, path, body);
      const asked = `${method} ${path} ${body === undefined ? "" : JSON.stringify(body)}${token}`;
      this.compare(account, asked, expected, outcome(response), drawn);
      this.grown.history.push(this.grown.say(`${userId}: ${asked}: ${expected}`));
      return response;
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
        const response = await send("PATCH", `/api/members/${id}/roles`, { assignments: wanted }, expected);
        const person = this.world.people.get(id);
        if (response.status === 200 && person !== undefined)
          this.compare(
            account,
            "the member in the response",
            this.oracle.shown(person, reach),
            shown(response.body),
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
        const response = await send("POST", "/api/units", { name: "New", parentId }, expected);
        if (response.status === 201) this.grown.addUnit(response.body.id, "New", parentId);
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

  compare({ userId }: Account, asked: string, expected: unknown, found: unknown, drawn = this.grown.draw()) {
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

export type ShownMember = {
  userId: string;
  assignments: { role: { id: string }; unit: { id: string } | null }[];
  units: { id: string }[];
};

/** Reduces a member of a response to the fields that the model predicts. */
export const shown = ({ userId, assignments, units }: ShownMember) => ({
  userId,
  assignments: assignments.map(({ role, unit }) => `${role.id} in ${unit?.id ?? null}`).sort(),
  units: units.map(({ id }) => id).sort(),
});
