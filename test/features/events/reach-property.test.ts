import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { type EventType, eventTypes } from "../../../src/core/effects/event-types.ts";
import type { Caller } from "../../support/caller.ts";
import { idOf } from "../../support/outcomes.ts";
import { eventsAfter, type OutgoingEvent } from "../../support/outgoing-events.ts";
import { ROUNDS } from "../../support/race.ts";
import { type ExpectedOrganization, ExpectedPermissions } from "../../support/reach.ts";
import { type Plan, plan, type Step } from "../../support/reach-plan.ts";
import {
  createOtherOrganization,
  type OtherOrganization,
  StoredOrganization,
} from "../../support/reach-world.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { TEST_TIMEOUT_MS } from "../../support/slow-tests.ts";

/*
 * Property test: in a random organization, its founder and members make random changes. Each event must be visible
 * exactly to the callers who reach, by the model in support/reach.ts, a unit that the record had before or after its
 * change, with Events.Read and with the permission of the type.
 */

const t = await startService();
const CALLERS = 5;
const accounts: { caller: Caller; userId: string; lastName: string }[] = [];
let foreign: OtherOrganization;

beforeAll(async () => {
  while (accounts.length < CALLERS) {
    const caller = await t.person();
    accounts.push({ caller, userId: idOf(caller), lastName: "Lovelace" });
  }
  foreign = await createOtherOrganization(t);
});

/** The units of a record, each with its ancestors. */
type Lines = string[][];

const linesOfUnit = (world: ExpectedOrganization, id: string): Lines =>
  world.units.has(id) ? [world.lineOf(id)] : [];
const linesOfPerson = (world: ExpectedOrganization, userId: string): Lines =>
  [...(world.people.get(userId)?.links ?? [])].map((unit) => world.lineOf(unit));

/** Returns the units of the record of an event, in the model as it is. */
function linesOf(world: ExpectedOrganization, { type, data: { object } }: OutgoingEvent): Lines {
  if (type.startsWith("unit.")) return linesOfUnit(world, String(object.id));
  if (type.startsWith("member.") || type.startsWith("todo."))
    return linesOfPerson(world, String(object.userId));
  return [];
}

/** Whether a user reads an event with these units. */
function isVisible(
  world: ExpectedOrganization,
  userId: string,
  { type, lines }: { type: string; lines: Lines },
) {
  const { everywhere, inUnits } = world.grantsOf(userId);
  const { permission } = eventTypes()[type as EventType];
  return ["Events.Read", permission].every(
    (name) =>
      everywhere.has(name) ||
      inUnits.some(
        ({ root, permissions }) => permissions.has(name) && lines.some((line) => line.includes(root)),
      ),
  );
}

test("every member polls exactly the events whose units at that time are within their reach", () =>
  fc.assert(
    fc.asyncProperty(plan, async (random) => {
      const grown = await StoredOrganization.grow(t, foreign, random, accounts);
      for (const { caller, userId } of accounts)
        if (grown.world.people.get(userId)?.isMember) await enter(caller, grown.id);
      await compare(grown, random);
    }),
    { numRuns: 4 * ROUNDS, interruptAfterTimeLimit: TEST_TIMEOUT_MS - 10_000, endOnFailure: true },
  ));

async function enter(caller: Caller, organizationId: string): Promise<void> {
  const change = () => caller.post("/api/auth/organization", { organizationId });
  if ((await change()).status === 401) {
    // Removal from another organization ended their last session.
    await caller.login();
    expectStatus(await change(), 200);
  }
}

async function compare(grown: StoredOrganization, random: Plan): Promise<void> {
  const { world } = grown;
  const founder = accounts[0]?.caller;
  if (founder === undefined) throw new Error("Nobody there");
  const seen: { id: string; type: string; lines: Lines }[] = [];
  let { cursor } = await eventsAfter(t, founder);
  for (const step of random.steps) {
    const before = structuredClone({ units: world.units, people: world.people });
    await change(grown, founder, step);
    const found = await eventsAfter(t, founder, cursor);
    cursor = found.cursor;
    const past = Object.assign(Object.create(Object.getPrototypeOf(world)), world, before);
    for (const event of found.events)
      seen.push({
        id: event.id,
        type: event.type,
        lines: [...linesOf(past, event), ...linesOf(world, event)],
      });
  }
  for (const { caller, userId } of accounts) {
    if (!world.people.get(userId)?.isMember) continue;
    expectStatus(await caller.refresh(), 200);
    if (!new ExpectedPermissions(world, [world.grantsOf(userId)]).has("Events.Read")) {
      expectStatus(await caller.get("/api/events"), 403);
      continue;
    }
    const visible = seen.filter((event) => isVisible(world, userId, event));
    const polled = (await eventsAfter(t, caller)).events;
    expect({ userId, events: polled.map(({ id }) => id), world: grown.draw() }).toEqual({
      userId,
      events: visible.map(({ id }) => id),
      world: grown.draw(),
    });
    const hidden = seen.find((event) => !visible.includes(event));
    if (hidden !== undefined) expectStatus(await caller.get(`/api/events/${hidden.id}`), 404);
  }
}

/** Makes one change, and the same in the model if it succeeded. */
async function change(grown: StoredOrganization, founder: Caller, { actor, does }: Step): Promise<void> {
  const { world } = grown;
  const live = () => world.liveUnits().map(({ id }) => id);
  const some = (numbers: number[]) => [
    ...new Set(numbers.flatMap((number) => live()[number % Math.max(live().length, 1)] ?? [])),
  ];
  const people = world.members().filter(({ userId }) => userId !== accounts[0]?.userId);
  const person = "person" in does ? people[does.person % Math.max(people.length, 1)] : undefined;
  const [unit] = "unit" in does ? some([does.unit]) : [];
  if (does.kind === "remove") {
    // Instead of removing people, one of them creates a todo.
    const account = accounts.filter(({ userId }) => world.people.get(userId)?.isMember)[actor % CALLERS];
    await account?.caller.post("/api/todos", { title: "a" });
  }
  if (does.kind === "units" && person !== undefined) {
    const kept = person.assignments.flatMap(({ unitId }) => unitId ?? []);
    const unitIds = [...new Set([...kept, ...some(does.wanted)])];
    expectStatus(await founder.patch(`/api/members/${person.userId}/units`, { unitIds }), 200);
    person.links = new Set(unitIds);
  }
  if (does.kind === "roles" && person !== undefined) {
    const roleIds = [...world.roles.keys()];
    const assignments = does.wanted.map(({ role, place }) => ({
      roleId: roleIds[role % roleIds.length] ?? "",
      unitId: place === null ? null : (some([place])[0] ?? null),
    }));
    const { status } = await founder.patch(`/api/members/${person.userId}/roles`, { assignments });
    if (status !== 200) return;
    person.assignments = assignments;
    for (const { unitId } of assignments) if (unitId !== null) person.links.add(unitId);
  }
  if (does.kind === "create") {
    const parentId = does.parent === null ? null : (some([does.parent])[0] ?? null);
    const { id } = expectStatus(await founder.post("/api/units", { name: "New", parentId }), 201).body;
    grown.addUnit(id, "New", parentId);
  }
  if (unit === undefined) return;
  const stored = world.units.get(unit);
  if (stored === undefined) return;
  if (does.kind === "rename")
    expectStatus(await founder.patch(`/api/units/${unit}`, { name: crypto.randomUUID() }), 200);
  if (does.kind === "move") {
    const parentId = does.to === null ? null : (some([does.to])[0] ?? null);
    if ((await founder.patch(`/api/units/${unit}`, { parentId })).status === 200) stored.parentId = parentId;
  }
  if (does.kind === "delete" && (await founder.delete(`/api/units/${unit}`)).status === 204)
    stored.isLive = false;
}
