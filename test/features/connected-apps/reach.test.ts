import { expect, test } from "bun:test";
import { connectApp } from "../../support/apps.ts";
import type { Caller } from "../../support/caller.ts";
import { report } from "../../support/helpdesk.ts";
import { invite } from "../../support/invitations.ts";
import { createOrganization, type Organization, type RoleAssignment } from "../../support/organizations.ts";
import { outcome } from "../../support/outcomes.ts";
import { FEWER_ROUNDS } from "../../support/race.ts";
import { seedOf } from "../../support/seeds.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

/*
 * An app that is limited to a unit reads what a twin of its person would read who holds there what the rule says: roles that the
 * person holds in the whole organization or above count at the unit, those below stay, others are none (rules 46.21).
 */

const t = await sharedService({ OAUTH_APPS: "any" });
const SEED = Number(process.env.SEED ?? 1);
const LISTS = [
  "/api/units",
  "/api/members",
  "/api/todos/all",
  "/api/organization/helpdesk/tickets",
  "/api/members/invitations",
];

let drawn = 0;
const random = (below: number) => seedOf(SEED, drawn++) % below;
const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item;

type Tree = Map<string, string | null>;

/** Adds a random tree of units, in some of them a member with a todo and a ticket, and an invitation. */
async function grow(org: Organization): Promise<Tree> {
  const tree: Tree = new Map();
  for (let count = 0; count < 10; count += 1) {
    const parent = random(4) === 0 ? null : pick([null, ...tree.keys()]);
    tree.set(await org.unit(`Unit ${count}`, parent), parent);
  }
  for (const unit of tree.keys()) {
    if (random(2) === 0) continue;
    const member = await org.member({ role: "MEMBER", unit });
    expectStatus(await member.post("/api/todos", { title: "One" }), 201);
    await report(member);
    expectStatus(await invite(org.admin, { roles: [{ role: "MEMBER", unit }] }), 201);
  }
  return tree;
}

function isWithin(tree: Tree, unit: string | null, top: string): boolean {
  for (let at = unit; at !== null; at = tree.get(at) ?? null) if (at === top) return true;
  return false;
}

/** Returns what a person's roles are within a unit. */
const within = (tree: Tree, roles: RoleAssignment[], top: string): RoleAssignment[] =>
  roles.flatMap(({ role, unit = null }) => {
    if (unit === null || isWithin(tree, top, unit)) return [{ role, unit: top }];
    return isWithin(tree, unit, top) ? [{ role, unit }] : [];
  });

async function idsOf(who: Caller, path: string): Promise<string[] | string> {
  const response = await who.get(`${path}?pageSize=100`);
  if (response.status !== 200) return outcome(response);
  const { data, total } = response.body as { data: { id?: string; userId?: string }[]; total: number };
  expect(data.length).toBe(total);
  return data.map((row) => row.id ?? row.userId ?? "").sort();
}

let listed = 0;
for (let round = 0; round < FEWER_ROUNDS; round += 1)
  test(`a grant for a unit lists what its person's roles reach in that unit: ${round}`, async () => {
    const org = await createOrganization(t);
    const tree = await grow(org);
    const cases: { person: Caller; app: Caller; twin: Caller | null }[] = [];
    for (let count = 0; count < 4; count += 1) {
      const places = [pick([null, ...tree.keys()]), pick([...tree.keys()])];
      const roles = [...new Set(places)].map((unit) => ({
        role: pick(["UNIT_ADMIN", "ORG_ADMIN", "MEMBER"]),
        unit,
      }));
      const unitId = pick([...tree.keys()]);
      const narrowed = within(tree, roles, unitId);
      const person = await org.member(...roles);
      const { app } = await connectApp(t, org, person, { unitId });
      cases.push({ person, app, twin: narrowed.length === 0 ? null : await org.member(...narrowed) });
    }
    for (const { person, app, twin } of cases)
      for (const path of LISTS) {
        const [seen, whole] = [await idsOf(app, path), await idsOf(person, path)];
        expect([path, seen]).toEqual([path, twin === null ? "403 FORBIDDEN" : await idsOf(twin, path)]);
        if (!Array.isArray(seen)) continue;
        expect(seen.filter((id) => !whole.includes(id))).toEqual([]);
        listed += seen.length;
      }
  });

test("the lists of these grants had rows", () => expect(listed).toBeGreaterThan(0));
