import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Attack } from "../support/attack.ts";
import type { ApiResponse, Caller } from "../support/caller.ts";
import { report } from "../support/helpdesk.ts";
import { createOrganization, type Organization } from "../support/organizations.ts";
import { idOf } from "../support/outcomes.ts";
import { megabytesOf } from "../support/processes.ts";
import { request } from "../support/raw.ts";
import { expectStatus, startService } from "../support/service.ts";

/*
 * One account and one address send every kind of abusive request at once while a user of another organization works.
 * Each kind of that user's requests is compared with itself without the attack, before and after it, on the same
 * instance.
 */

/**
 * The aim is 5. On two cores, which the attacking process shares, 3 to 6.3 were measured. Without the limits, writes
 * took 3 s instead of 12 ms.
 */
const MAX_RATIO = 8;
/**
 * The aim is 150 MB; 142 to 201 were measured, depending on when garbage is collected. All bodies and responses of the attack at once
 * would be more than 350 MB, twice that while they are built.
 */
const MAX_GROWTH_MB = 300;
const ROUNDS = 21;
/** The comparison is repeated, because load on the machine makes a ratio worse, never better. */
const ATTEMPTS = 3;
const UNITS = 9_400;
const MESSAGES = 720;

const t = await startService();
const [instance] = await t.cluster(1, { TRUST_PROXY: "1", THROTTLE_LIMIT: "100000", LOG_LEVEL: "info" });
const { url, pid } = instance ?? { url: "", pid: 0 };

const ATTACKER = "192.0.2.1";
const NEIGHBOUR = { headers: { "x-forwarded-for": "192.0.2.2" } };
let org: Organization;
let neighbour: Caller;
let attack: Attack;

beforeAll(async () => {
  org = await createOrganization(t);
  const root = await org.unit("Europe");
  await t.sql(
    "INSERT INTO units (organization_id, parent_id, name) SELECT $1, $2, 'Unit ' || n FROM generate_series(1, $3::int) n",
    [org.id, root, UNITS],
  );
  const writer = await org.member();
  const reader = await org.member();
  const wide = await org.member({ role: "UNIT_ADMIN", unit: root });
  const person = await org.member({ role: "MEMBER", unit: root });
  const ticket = await report(reader);
  await t.sql(
    "INSERT INTO ticket_messages (ticket_id, author_id, body) SELECT $1, $2, repeat('𝕏', 10000) FROM generate_series(1, $3::int)",
    [ticket.id, idOf(reader), MESSAGES],
  );
  const { id } = expectStatus(await person.post("/api/todos", { title: "Water the plants" }), 201).body;
  await t.sql("ANALYZE");

  const as = (caller: Caller) => ({
    Authorization: `Bearer ${caller.accessToken}`,
    "X-Forwarded-For": ATTACKER,
  });
  const json = { "Content-Type": "application/json" };
  attack = {
    url,
    lanes: [
      { count: 2_400, requests: [request("POST /api/todos", { ...as(writer), ...json }, '{"title":"t"}')] },
      { count: 10, requests: [request(`GET /api/support/tickets/${ticket.id}`, as(reader))] },
      {
        count: 60,
        requests: [`/api/todos/${id}`, `/api/members/${idOf(person)}`].map((path) =>
          request(`GET ${path}`, as(wide)),
        ),
      },
    ],
    stalled: [
      {
        count: 650,
        head: request("POST /api/auth/refresh", {
          ...json,
          "X-Forwarded-For": ATTACKER,
          "Content-Length": "102400",
        }),
        bytes: 102_300,
      },
    ],
  };
  neighbour = (await createOrganization(t)).admin.at(url);
});

const kinds: Record<string, () => Promise<ApiResponse>> = {
  "sign-in": () => {
    const { email, password } = neighbour.account;
    return neighbour.post("/api/auth/login", { email, password }, NEIGHBOUR);
  },
  refresh: () => neighbour.refresh(NEIGHBOUR),
  read: () => neighbour.get("/api/profile", NEIGHBOUR),
  write: () => neighbour.post("/api/todos", { title: "t" }, NEIGHBOUR),
};

/** Returns the median time of each kind of request; every request must succeed. */
async function measure(): Promise<Record<string, number>> {
  const times = Object.fromEntries(Object.keys(kinds).map((kind): [string, number[]] => [kind, []]));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [kind, work] of Object.entries(kinds)) {
      const since = performance.now();
      const { status } = await work();
      times[kind]?.push(performance.now() - since);
      expect([kind, Math.floor(status / 100)]).toEqual([kind, 2]);
    }
  const median = (values: number[]) => values.sort((one, other) => one - other)[ROUNDS >> 1] as number;
  return Object.fromEntries(Object.entries(times).map(([kind, values]) => [kind, median(values)]));
}

type Outcome = { ratios: Record<string, number>; growth: number };

/**
 * Returns the ratio of each median time during the attack to that without it, and the growth of the instance's
 * memory.
 */
async function compare(): Promise<Outcome> {
  const before = await measure();
  const ownMegabytes = megabytesOf(pid);
  const attacker = Bun.spawn(["bun", join(import.meta.dir, "../support/attack.ts"), JSON.stringify(attack)], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const output = new Response(attacker.stdout).text();
  await Bun.sleep(3_000);
  const beside = await measure();
  const growth = megabytesOf(pid) - ownMegabytes;
  attacker.stdin.end();
  await attacker.exited;
  const statuses: Record<string, number> = JSON.parse((await output).split("\n")[1] ?? "{}");
  // The attack took effect: writes were made and refused, and none failed for another reason.
  expect(Object.keys(statuses)).toContainValues(["200", "201", "429"]);
  expect(Object.keys(statuses).filter((status) => !["200", "201", "408", "429"].includes(status))).toEqual(
    [],
  );
  await Bun.sleep(1_000);
  const after = await measure();
  const alone = (kind: string) => Math.max(before[kind] as number, after[kind] as number);
  const ratios = Object.keys(kinds).map((kind) => [kind, (beside[kind] as number) / alone(kind)] as const);
  return { ratios: Object.fromEntries(ratios), growth };
}

test("an attack with every kind of request at once slows another organization down at most eightfold", async () => {
  // A warm-up, because the first requests of an instance are slower and its memory grows.
  await measure();
  const outcomes: Outcome[] = [];
  const exceeded = () =>
    Object.keys(kinds).filter(
      (kind) => !outcomes.some(({ ratios }) => (ratios[kind] ?? Number.NaN) <= MAX_RATIO),
    );
  while (outcomes.length < ATTEMPTS && exceeded().length > 0) outcomes.push(await compare());
  console.log("times as long as alone", outcomes);
  expect(exceeded()).toEqual([]);
  expect(outcomes[0]?.growth).toBeLessThan(MAX_GROWTH_MB);
});
