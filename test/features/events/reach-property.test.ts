import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { type EventType, eventTypes } from "../../../src/core/effects/event-types.ts";
import { eventsAfter, type OutgoingEvent } from "../../support/outgoing-events.ts";
import { ROUNDS } from "../../support/race.ts";
import { type ExpectedOrganization, ExpectedPermissions } from "../../support/reach.ts";
import { type Plan, plan, type Step } from "../../support/reach-plan.ts";
import { type Account, newAccounts, ReachRun } from "../../support/reach-run.ts";
import { createOtherOrganization, type OtherOrganization } from "../../support/reach-world.ts";
import { expectStatus, sharedService } from "../../support/service.ts";
import { TEST_TIMEOUT_MS } from "../../support/slow-tests.ts";

/*
 * Property test: in a random organization, its founder and members make random changes. Each event must be visible
 * exactly to the callers who reach, by the model in support/reach.ts, a unit that the record had before or after its
 * change, with Events.Read and with the permission of the type.
 */

const t = await sharedService();
const CALLERS = 5;
let accounts: Account[];
let foreign: OtherOrganization;

beforeAll(async () => {
  accounts = await newAccounts(t, CALLERS);
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
      await compare(await ReachRun.grow(t, { foreign, accounts }, { ...random, moves: [] }), random);
    }),
    { numRuns: 4 * ROUNDS, interruptAfterTimeLimit: TEST_TIMEOUT_MS - 10_000, endOnFailure: true },
  ));

async function compare(run: ReachRun, random: Plan): Promise<void> {
  const { world, grown, founder } = run;
  const seen: { id: string; type: string; lines: Lines }[] = [];
  let { cursor } = await eventsAfter(t, founder.caller);
  for (const step of random.steps) {
    const before = structuredClone({ units: world.units, people: world.people });
    await change(run, step);
    const found = await eventsAfter(t, founder.caller, cursor);
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

/**
 * Makes one change. Instead of removing people, one of them creates a todo. The founder, who makes all other changes, keeps
 * the role.
 */
async function change(run: ReachRun, { actor, does }: Step): Promise<void> {
  const { grown, founder } = run;
  if (does.kind === "remove") {
    const account = run.present()[actor % run.present().length];
    await account?.caller.post("/api/todos", { title: "a" });
  } else if (does.kind !== "roles" || grown.person(does.person) !== founder.userId) {
    await run.renew(founder);
    await run.write(founder, false, does);
  }
}
