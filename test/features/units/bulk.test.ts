import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { createCommitGate } from "../../support/commit-gate.ts";
import { isReplay, keyed, newKey } from "../../support/idempotency.ts";
import { holdOrganizationLock, inLine } from "../../support/locks.ts";
import { createMachine } from "../../support/machines.ts";
import { createOrganization } from "../../support/organizations.ts";
import { actingIn, eventsIn, messages, outcome } from "../../support/outcomes.ts";
import { eventsOf } from "../../support/outgoing-events.ts";
import { planFiles, setPlanOverride } from "../../support/plans.ts";
import { expectStatus, startService } from "../../support/service.ts";

const planFile = planFiles();
const t = await startService({
  JWT_ACCESS_TTL: "2h",
  BILLING_PLANS_FILE: planFile({
    plans: [
      { key: "open", limits: {}, features: [], paid: false },
      { key: "three", limits: { units: 3 }, features: [], paid: false },
    ],
    defaultPlan: "open",
    trial: null,
  }),
});

type Options = { parentId?: string | null; dryRun?: boolean };
type Unit = { id: string; name: string; parentId: string | null; depth: number };
const post = (caller: Caller, paths: string[][], { parentId, dryRun }: Options = {}, options = {}) =>
  caller.post(
    "/api/units/bulk",
    { paths, ...(parentId !== undefined && { parentId }), ...(dryRun !== undefined && { dryRun }) },
    options,
  );
const bulk = async (caller: Caller, paths: string[][], options: Options = {}) =>
  expectStatus(await post(caller, paths, options), 200).body;
const tree = async (caller: Caller): Promise<Unit[]> =>
  expectStatus(await caller.get("/api/units"), 200).body.data;
/** Returns the names of the tree, depth-first, each after a mark for its depth. */
const drawn = async (caller: Caller) =>
  (await tree(caller)).map(({ name, depth }) => `${"-".repeat(depth)}${name}`);

test("units of paths are created with their missing parents, each once, and shown after its parent", async () => {
  const { admin } = await createOrganization(t);
  const body = await bulk(admin, [["Europe", "Lisbon"], ["Asia"], ["Europe", "Porto", "Foz"]]);
  expect(await drawn(admin)).toEqual(["Asia", "Europe", "-Lisbon", "-Porto", "--Foz"]);
  const idOf = new Map((await tree(admin)).map(({ name, id }) => [name, id]));
  const shown = [["Europe"], ["Europe", "Lisbon"], ["Asia"], ["Europe", "Porto"], ["Europe", "Porto", "Foz"]];
  expect(body).toEqual({
    units: shown.map((path) => ({ path, id: idOf.get(path.at(-1) ?? ""), outcome: "created" })),
    created: 5,
    limit: { needed: 5, free: null },
  });
});

test("existing units are used by their name in NFKC and without case, of several the oldest; other names are other units", async () => {
  const org = await createOrganization(t);
  const [first, second] = [await org.unit("Athens"), await org.unit("ATHENS")];
  await t.age("units", { id: first }, { days: 1 });
  const inner = await org.unit("Zürich", first);
  const body = await bulk(org.admin, [
    ["ａｔｈｅｎｓ", "ZÜRICH"],
    ["Athéns"],
    ["athens", "New", "new"],
    ["ATHENS", "NEW"],
  ]);
  expect(
    body.units.map(({ path, outcome }: { path: string[]; outcome: string }) => [path.join(" > "), outcome]),
  ).toEqual([
    ["ａｔｈｅｎｓ", "exists"],
    ["ａｔｈｅｎｓ > ZÜRICH", "exists"],
    ["Athéns", "created"],
    ["ａｔｈｅｎｓ > New", "created"],
    ["ａｔｈｅｎｓ > New > new", "created"],
  ]);
  expect(body.units.slice(0, 2).map(({ id }: { id: string }) => id)).toEqual([first, inner]);
  expect((await tree(org.admin)).filter(({ parentId }) => parentId === second)).toEqual([]);
});

test("a deleted unit is not used again", async () => {
  const org = await createOrganization(t);
  const gone = await org.unit("Gone");
  expectStatus(await org.admin.delete(`/api/units/${gone}`), 204);
  const { units } = await bulk(org.admin, [["Gone"]]);
  expect([units[0].outcome, units[0].id === gone]).toEqual(["created", false]);
});

test("a dry run shows what the run would do, with null for ids of new units, and writes nothing", async () => {
  const org = await createOrganization(t);
  const europe = await org.unit("Europe");
  const key = keyed(newKey());
  const paths = [["Europe", "Lisbon"]];
  const dry = expectStatus(await post(org.admin, paths, { dryRun: true }, key), 200).body;
  expect(dry).toEqual({
    units: [
      { path: ["Europe"], id: europe, outcome: "exists" },
      { path: ["Europe", "Lisbon"], id: null, outcome: "created" },
    ],
    created: 1,
    limit: { needed: 1, free: null },
  });
  expect(await drawn(org.admin)).toEqual(["Europe"]);
  const run = expectStatus(await post(org.admin, paths, {}, key), 200);
  expect([isReplay(run), run.body.created]).toEqual([false, 1]);
  expect(isReplay(await post(org.admin, paths, {}, key))).toBe(true);
});

test("each created unit has its audit event and change event, as a single one has", async () => {
  const org = await createOrganization(t);
  const europe = await org.unit("Europe");
  const events = await eventsOf(t, org.admin, () => bulk(org.admin, [["Europe", "Lisbon", "Center"]]));
  expect(events.map(({ type, data }) => [type, data.object.name, data.object.depth])).toEqual([
    ["unit.created", "Lisbon", 1],
    ["unit.created", "Center", 2],
  ]);
  const [lisbon, center] = events.map(({ data }) => data.object);
  expect((await tree(org.admin)).slice(1)).toEqual([lisbon, center] as never);
  expect((await eventsIn(t, org, "UNIT_CREATED")).map(({ metadata }) => metadata)).toEqual([
    { name: "Lisbon", parentId: europe },
    { name: "Center", parentId: lisbon?.id },
  ] as never);
});

test("only who may create units there creates many: the top needs the permission for the whole organization", async () => {
  const org = await createOrganization(t);
  const [mine, other] = [await org.unit("Mine"), await org.unit("Other")];
  const caller = await org.member({ role: "UNIT_ADMIN", unit: mine });
  for (const parentId of [undefined, null, other])
    expect(
      outcome(await post(caller, [["Mine", "New"]], { ...(parentId !== undefined && { parentId }) })),
    ).toBe("403 UNIT_FORBIDDEN");
  expect((await bulk(caller, [["New", "Newer"]], { parentId: mine })).created).toBe(2);
  expect(outcome(await post(await org.member(), [["New"]]))).toBe("403 FORBIDDEN");
  const { caller: machine } = await createMachine(org, { role: "ORG_ADMIN" });
  expect((await bulk(machine, [["By a machine"]])).created).toBe(1);
  const platform = await t.platformAdmin();
  expectStatus(await post(platform, [["By the platform"]], {}, actingIn(org)), 200);
  const unknown = await post(org.admin, [["New"]], { parentId: crypto.randomUUID() });
  expect(messages(expectStatus(unknown, 400))).toEqual(["parentId must be an existing unit"]);
});

test("beyond the plan's limit nothing is created; a dry run shows what is free, and units that exist need nothing", async () => {
  const [org, platform] = [await createOrganization(t), await t.platformAdmin()];
  await setPlanOverride(platform, org, "three");
  await org.unit("One");
  const paths = [["One", "Two"], ["Three"], ["Four"]];
  const refused = await post(org.admin, paths);
  expect(outcome(refused)).toBe("403 PLAN_LIMIT_REACHED");
  expect(refused.body.details).toEqual({ limit: "units", max: 3, used: 1 });
  expect(await drawn(org.admin)).toEqual(["One"]);
  expect((await bulk(org.admin, paths, { dryRun: true })).limit).toEqual({ needed: 3, free: 2 });
  expect((await bulk(org.admin, paths.slice(0, 2))).limit).toEqual({ needed: 2, free: 2 });
  expect((await bulk(org.admin, paths.slice(0, 2))).limit).toEqual({ needed: 0, free: 0 });
  expectStatus(await post(platform, paths, {}, actingIn(org)), 200);
});

test("beyond 100 levels or 10,000 units nothing is created, and a dry run is refused, too", async () => {
  const org = await createOrganization(t);
  const level = (number: number) => Array.from({ length: 20 }, (_, n) => `Level ${number + n}`);
  let parentId: string | null = null;
  for (const number of [1, 21, 41, 61]) {
    const { units }: { units: { id: string }[] } = await bulk(org.admin, [level(number)], { parentId });
    parentId = units.at(-1)?.id ?? null;
  }
  expectStatus(await post(org.admin, [level(81)], { parentId, dryRun: true }), 200);
  const { units } = await bulk(org.admin, [level(81).slice(0, 19)], { parentId });
  const last: string = units.at(-1).id;
  for (const dryRun of [true, false])
    expect(
      outcome(await post(org.admin, [["Fine"], ["Level 100", "Level 101"]], { parentId: last, dryRun })),
    ).toBe("409 CONFLICT");
  const before = (await tree(org.admin)).length;
  await t.sql(
    "INSERT INTO units (organization_id, name) SELECT $1, 'Filler ' || n FROM generate_series(1, $2::int) n",
    [org.id, 10_000 - before - 1],
  );
  for (const dryRun of [true, false])
    expect(outcome(await post(org.admin, [["One"], ["Two"]], { dryRun }))).toBe("409 CONFLICT");
  expectStatus(await post(org.admin, [["One"]]), 200);
});

test("a tree of 1,110 units is created by 1,000 paths, and again it exists", async () => {
  const org = await createOrganization(t);
  const digits = [...Array(10).keys()];
  const paths = digits.flatMap((a) =>
    digits.flatMap((b) => digits.map((c) => [`Region ${a}`, `City ${b}`, `Shop ${c}`])),
  );
  const key = keyed(newKey());
  expect(expectStatus(await post(org.admin, paths, {}, key), 200).body.created).toBe(1_110);
  const replay = expectStatus(await post(org.admin, paths, {}, key), 200);
  expect([isReplay(replay), replay.body.units.length]).toEqual([true, 1_110]);
  expect((await bulk(org.admin, paths)).created).toBe(0);
  expect(await tree(org.admin)).toHaveLength(1_110);
});

test("a body without paths, with too many or too long ones, or with an empty name is 400", async () => {
  const { admin } = await createOrganization(t);
  const tooMany = Array.from({ length: 1_001 }, (_, n) => [`${n}`]);
  for (const paths of [[], [[]], [["Europe", " "]], [Array(21).fill("Deep")], tooMany])
    expect(outcome(await post(admin, paths))).toBe("400 VALIDATION_FAILED");
  const { body } = await post(admin, [["Fine"], ["Europe", ""]]);
  expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(["paths.1.1"]);
  expect(await tree(admin)).toEqual([]);
});

test("of requests that create the same paths at once one creates the units, and the others use them", async () => {
  const [near] = await t.cluster(1);
  const org = await createOrganization(t);
  const lock = await holdOrganizationLock(t, org.id);
  const paths = [["Europe", "Lisbon"], ["Asia"]];
  const at = (index: number) => (index % 2 ? org.admin : org.admin.at(near?.url ?? ""));
  const responses = await inLine(lock, ...[0, 1, 2].map((index) => () => post(at(index), paths)));
  expect(responses.map((one) => expectStatus(one, 200).body.created)).toEqual([3, 0, 0]);
  expect(await drawn(org.admin)).toEqual(["Asia", "Europe", "-Lisbon"]);
});

test("kill -9 during COMMIT leaves all units or none, and the repetition creates no second ones", async () => {
  const gate = await createCommitGate(t, "units");
  const [org, key] = [await createOrganization(t), keyed(newKey())];
  const [doomed] = await t.cluster(1);
  const paths = [["Europe", "Lisbon"], ["Asia"]];
  const closed = await gate.close();
  const first = post(org.admin.at(doomed?.url ?? ""), paths, {}, key).catch(() => null);
  await closed.waiting();
  await doomed?.kill();
  expect(await first).toBeNull();
  await closed.open();
  let repeated = await post(org.admin, paths, {}, key);
  while (outcome(repeated) === "409 IDEMPOTENCY_KEY_IN_USE") {
    await Bun.sleep(50);
    repeated = await post(org.admin, paths, {}, key);
  }
  expect([outcome(repeated), isReplay(repeated), repeated.body.created]).toEqual(["200", true, 3]);
  expect(await drawn(org.admin)).toEqual(["Asia", "Europe", "-Lisbon"]);
});

test("in a suspended organization nobody creates units in bulk, and platform administrators do not either", async () => {
  const org = await createOrganization(t);
  const platform = await t.platformAdmin();
  const there = { headers: { "x-organization-id": org.id } };
  expectStatus(await post(platform, [["Europe"]], {}, there), 200);
  await t.sql("UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1", [org.id]);
  const refused = "400 ORGANIZATION_SUSPENDED";
  expect(outcome(await post(org.admin, [["Asia"]]))).toBe(refused);
  for (const dryRun of [true, false])
    expect(outcome(await post(platform, [["Asia"]], { dryRun }, there))).toBe(refused);
});
