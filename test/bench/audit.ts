import { readFile } from "node:fs/promises";
import { SQL } from "bun";
import * as events from "#sql/audit";
import { Authority } from "../../src/core/access/authority.ts";
import { callOfJob } from "../../src/core/context.ts";
import { visibleInOrganization } from "../../src/features/audit/visible.ts";
import type { Caller } from "../support/caller.ts";
import type { Instance } from "../support/cluster.ts";
import { idOf } from "../support/outcomes.ts";
import type { Service } from "../support/service.ts";
import { EVENTS_OF_BIG, seedEvents } from "./audit-seed.ts";
import { type Place, places } from "./places.ts";
import { settle } from "./seed.ts";

const TIMES = 100;
const PAGE = { limit: 20, offset: "0", descending: true, afterId: null, afterTime: null };
const NO_FILTERS = {
  ...{ search: null, action: null, actorId: null, targetType: null, targetId: null },
  ...{ from: null, to: null, unit: null, member: null },
};

/** Somebody who reads the log of the largest organization, and what they ask of it. */
type Reading = { caller: Caller; query: string; roots: string[]; values: Record<string, unknown> };
export const AUDIT_READINGS = [
  ...["first page", "of one member", "search, part of an email", "search, digits of an email"],
  ...["search, an action", "last page", "in 150 units", "in 150 units, search"],
] as const;
type Name = (typeof AUDIT_READINGS)[number];

let grown: Promise<Record<Name, Reading>> | null = null;

/** A million events, and the readings of them that are measured; grown once. */
export function auditReadings(t: Service) {
  grown ??= grow(t);
  return grown;
}

async function grow(t: Service): Promise<Record<Name, Reading>> {
  const { everything, in150Units } = (await places(t))["50,000"];
  await seedEvents(t, everything.filters.organizationId);
  await settle(t);
  const [one] = await t.sql<{ id: string; email: string }>(
    `SELECT u.id, u.email FROM memberships m JOIN users u ON u.id = m.user_id
     WHERE m.organization_id = $1 AND NOT m.is_deleted ORDER BY u.email LIMIT 1 OFFSET 1000`,
    [everything.filters.organizationId],
  );
  const { id = "", email = "" } = one ?? {};
  const part = email.slice(email.indexOf(".") + 2, email.indexOf("@") + 6);
  // Short runs of digits are in every address and request id, too.
  const digits = email.slice(email.indexOf("-") - 3, email.indexOf("@"));
  const reading = async (place: Place, query = "", filters: object = {}, page: object = {}) => ({
    caller: place.caller,
    query,
    roots: await rootsOf(t, place.caller),
    values: { ...(await parametersOf(t, place, { ...NO_FILTERS, ...filters })), ...PAGE, ...page },
  });
  const lastPage = EVENTS_OF_BIG / 20;
  return {
    "first page": await reading(everything),
    "of one member": await reading(everything, `member=${id}`, { member: [id] }),
    "search, part of an email": await reading(everything, `search=${part}`, { search: part }),
    "search, digits of an email": await reading(everything, `search=${digits}`, { search: digits }),
    "search, an action": await reading(everything, "search=unit_updated", { search: "unit_updated" }),
    "last page": await reading(everything, `page=${lastPage}`, {}, { offset: String((lastPage - 1) * 20) }),
    "in 150 units": await reading(in150Units),
    "in 150 units, search": await reading(in150Units, `search=${part}`, { search: part }),
  };
}

/** The values that the service itself asks with. */
async function parametersOf(t: Service, { caller, filters }: Place, asked: typeof NO_FILTERS) {
  const { organizationId } = filters;
  const roots = await rootsOf(t, caller);
  const permission = new Set(["Audit.Read"]);
  const holdings =
    filters.units === null
      ? { everywhere: permission, inUnits: [] }
      : { everywhere: new Set<string>(), inUnits: [{ permissions: permission, roots, units: null }] };
  const call = { ...callOfJob(t.running.app), organizationId, authority: new Authority([holdings]) };
  const actor = { userId: idOf(caller), sessionId: "", isPlatformAdmin: false, claims: {} as never };
  return visibleInOrganization({ ...call, actor }, asked);
}

const rootsOf = async (t: Service, caller: Caller): Promise<string[]> =>
  (
    await t.sql<{ id: string }>(
      `SELECT a.unit_id AS id FROM membership_assignments a JOIN memberships m ON m.id = a.membership_id
       WHERE m.user_id = $1 AND a.unit_id IS NOT NULL`,
      [idOf(caller)],
    )
  ).map(({ id }) => id);

type Query = { text: string; parameters: readonly string[] };
const inOrder = ({ parameters }: Query, values: Record<string, unknown>) =>
  parameters.map((name) => values[name]);

/** How long the statements of the audit log take, against a look at one event by its key; how they are planned. */
export async function reportAudit(t: Service, instance: Instance): Promise<void> {
  const readings = await auditReadings(t);
  const sql = new SQL({ url: t.databaseUrl, max: 1, connection: { plan_cache_mode: "force_custom_plan" } });
  const [{ id }] = await sql.unsafe("SELECT id FROM audit_events ORDER BY time LIMIT 1 OFFSET 500000");
  const look = () => sql.unsafe("SELECT * FROM audit_events WHERE id = $1", [id]);
  for (const [name, { values }] of Object.entries(readings)) {
    const rows = inOrder(events.listEvents, values);
    const total = inOrder(events.countEvents, values);
    const times = name === "last page" ? 10 : TIMES;
    const [byKey, listed, counted] = await medians(times, [
      look,
      () => sql.unsafe(events.listEvents.text, rows),
      () => sql.unsafe(events.countEvents.text, total),
    ]);
    const [{ "total!": found }] = await sql.unsafe(events.countEvents.text, total);
    const ratio = ((listed as number) / (byKey as number)).toFixed(1);
    print(
      `rows, ${name}`,
      `${listed?.toFixed(2)} ms, ${ratio} times a look by key (${byKey?.toFixed(2)} ms)`,
    );
    const per100000 = ((counted as number) / EVENTS_OF_BIG) * 100_000;
    print(
      `total, ${name}`,
      `${counted?.toFixed(2)} ms for ${found}; ${per100000.toFixed(1)} ms per 100,000 events`,
    );
    for (const [what, query, given] of [
      ["rows", events.listEvents, rows],
      ["total", events.countEvents, total],
    ] as const)
      print(`plan of ${what}, ${name}`, await planOf(sql, query, given));
  }
  await sql.close();
  await reportExport(t, instance);
}

async function medians(times: number, all: (() => Promise<unknown>)[]): Promise<number[]> {
  const taken: number[][] = all.map(() => []);
  for (let time = 0; time < times; time += 1)
    for (const [index, one] of all.entries()) {
      const started = performance.now();
      await one();
      taken[index]?.push(performance.now() - started);
    }
  return taken.map((some) => some.sort((one, other) => one - other)[Math.floor(times / 2)] ?? Number.NaN);
}

/** How a statement gets at the events. */
async function planOf(sql: SQL, { text }: Query, values: unknown[]): Promise<string> {
  const lines: { "QUERY PLAN": string }[] = await sql.unsafe(`EXPLAIN (COSTS OFF) ${text}`, values);
  const scans = lines
    .map((line) => line["QUERY PLAN"].trim().replace(/^->\s+/, ""))
    .filter((line) => /(Scan|Join|Loop|Sort|Aggregate|Limit)/.test(line) && !line.includes(": "));
  return scans.join(" < ");
}

/** All of them, as a platform administrator takes them. */
async function reportExport(t: Service, instance: Instance): Promise<void> {
  const admin = await t.platformAdmin();
  const rss = async () =>
    Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${instance.pid}/status`, "utf8"))?.[1]) / 1024;
  for (const format of ["csv", "ndjson"]) {
    const before = await rss();
    let [max, bytes] = [before, 0];
    const started = performance.now();
    const { body } = await fetch(`${instance.url}/api/audit-events/export?format=${format}`, {
      headers: { authorization: `Bearer ${admin.accessToken}` },
    });
    for await (const piece of body as ReadableStream<Uint8Array>) {
      bytes += piece.length;
      max = Math.max(max, await rss());
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const grown = `${before.toFixed(0)} to at most ${max.toFixed(0)} MB`;
    print(`export of all as ${format}`, `${seconds} s, ${(bytes / 1e6).toFixed(0)} MB, memory ${grown}`);
  }
}

const print = (name: string, found: string) => console.log(name.padEnd(40), found);
