import { expect, test } from "bun:test";
import { releaseAtEnd } from "../../../src/core/api/steps/limit-work.ts";
import { Permits } from "../../../src/platform/limits/permits.ts";
import { ALL_EVENTS, EVENTS } from "../../support/audit.ts";
import type { Caller } from "../../support/caller.ts";
import { assignments, createOrganization, type Organization } from "../../support/organizations.ts";
import { actingIn, eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

/* Changes during a slow export: new events, lost permissions, the maximum time. */

const t = await sharedService();
const EVENT_COUNT = 8_000;

/** Creates an organization whose audit log is larger than the buffers between service and client. */
async function longLog() {
  const org = await createOrganization(t);
  await t.sql(
    `INSERT INTO audit_events (action, organization_id, metadata)
     SELECT 'UNIT_CREATED', $1, jsonb_build_object('name', repeat('x', 2000), 'n', n) FROM generate_series(1, $2::int) n`,
    [org.id, EVENT_COUNT],
  );
  return org;
}

/** Starts an export and reads its first chunk. The returned function reads the rest, or returns null if it was aborted. */
async function begin(who: Caller, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${t.url}${path}`, {
    headers: { authorization: `Bearer ${who.accessToken}`, ...headers },
  });
  expect(response.status).toBe(200);
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  const next = async () => {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    text += decoder.decode(value, { stream: true });
    return done;
  };
  await next();
  return async () => {
    try {
      while (!(await next()));
      return text.trim().split("\n");
    } catch {
      return null;
    }
  };
}
const EXPORT = `${EVENTS}/export?format=ndjson&order=asc`;

test("an export does not contain events that were written after it started, in either sort order", async () => {
  const org = await longLog();
  for (const order of ["asc", "desc"]) {
    const before = (await eventsIn(t, org, "ORGANIZATION_UPDATED")).length;
    const rest = await begin(org.admin, `${EVENTS}/export?format=ndjson&order=${order}`);
    expectStatus(await org.admin.patch("/api/organization", { name: `Secret ${order}` }), 200);
    const lines = (await rest()) ?? [];
    expect(lines.filter((line) => line.includes('"ORGANIZATION_UPDATED"'))).toHaveLength(before);
    expect(lines.filter((line) => line.includes('"UNIT_CREATED"'))).toHaveLength(EVENT_COUNT);
  }
});

test("an export accepts a `to` before and after its own start", async () => {
  const org = await createOrganization(t);
  expectStatus(await org.admin.patch("/api/organization", { name: "Renamed" }), 200);
  const count = async (query: string) =>
    (expectStatus(await org.admin.get(`${EVENTS}/export?format=ndjson&${query}`), 200).body as string)
      .split("\n")
      .filter(Boolean).length;
  expect(await count("to=2000-01-01")).toBe(0);
  expect(await count("")).toBe(await count("to=2999-01-01"));
  expect(await count("")).toBeGreaterThan(0);
});

/** Ways in which a user who is exporting loses the permission. */
const LOSSES: Record<string, (org: Organization, who: Caller) => Promise<unknown>> = {
  "was removed": async (org, who) => expectStatus(await org.admin.delete(`/api/members/${idOf(who)}`), 204),
  "lost the permission": async (org, who) =>
    expectStatus(
      await org.admin.patch(`/api/members/${idOf(who)}/roles`, assignments({ role: "MEMBER" })),
      200,
    ),
  "now has the permission in a unit only": async (org, who) =>
    expectStatus(
      await org.admin.patch(
        `/api/members/${idOf(who)}/roles`,
        assignments({ role: "UNIT_ADMIN", unit: await org.unit("East") }),
      ),
      200,
    ),
};
for (const [name, lose] of Object.entries(LOSSES))
  test(`an export is aborted when its reader ${name}, and the next export is 403`, async () => {
    const org = await longLog();
    const who = await org.member({ role: "ORG_ADMIN" });
    const rest = await begin(who, EXPORT);
    await lose(org, who);
    expect(await rest()).toBeNull();
    expect(outcome(await who.get(EXPORT))).toBe("403 FORBIDDEN");
  });

test("an export is aborted when its reader stops being a platform administrator", async () => {
  const [org, platform, other] = [await longLog(), await t.platformAdmin(), await t.platformAdmin()];
  const there = await begin(platform, EXPORT, actingIn(org).headers);
  const everywhere = await begin(platform, `${ALL_EVENTS}/export?format=ndjson&order=asc`);
  expectStatus(await other.patch(`/api/users/${idOf(platform)}`, { isPlatformAdmin: false }), 200);
  expect([await there(), await everywhere()]).toEqual([null, null]);
  expect(outcome(await platform.get(`${ALL_EVENTS}/export`))).toBe("403 FORBIDDEN");
});

test("an export by a platform administrator writes an event in each named organization; an export by a member writes none", async () => {
  const [org, another, platform] = [
    await createOrganization(t),
    await createOrganization(t),
    await t.platformAdmin(),
  ];
  const recorded = async (place: Organization) =>
    (await eventsIn(t, place, "AUDIT_EVENTS_EXPORTED")).map(({ actor_id, target_id, metadata }) => ({
      actor_id,
      target_id,
      metadata,
    }));
  const event = (place: Organization, format: string) => ({
    actor_id: idOf(platform),
    target_id: place.id,
    metadata: { format },
  });
  expectStatus(await org.admin.get(`${EVENTS}/export`), 200);
  expect(await recorded(org)).toEqual([]);
  expectStatus(await platform.get(`${EVENTS}/export`, actingIn(org)), 200);
  expect(await recorded(org)).toEqual([event(org, "csv")]);
  const unknown = crypto.randomUUID();
  const ids = [org.id, another.id, unknown].map((id) => `organization=${id}`).join("&");
  expectStatus(await platform.get(`${ALL_EVENTS}/export?format=ndjson&${ids}`), 200);
  expect(await recorded(org)).toEqual([event(org, "csv"), event(org, "ndjson")]);
  expect(await recorded(another)).toEqual([event(another, "ndjson")]);
  expectStatus(await platform.get(`${ALL_EVENTS}/export?actorId=${idOf(platform)}`), 200);
  const whole = await t.sql(
    "SELECT organization_id, target_id FROM audit_events WHERE action = 'AUDIT_EVENTS_EXPORTED' AND actor_id = $1 ORDER BY time DESC LIMIT 1",
    [idOf(platform)],
  );
  expect(whole).toEqual([{ organization_id: null, target_id: null }]);
  expect(await recorded(org)).toHaveLength(2);
  expect(await t.sql("SELECT FROM audit_events WHERE organization_id = $1", [unknown])).toEqual([]);
});

test("an export is aborted after its maximum time, also if nobody reads it, and releases its concurrency slot once", async () => {
  const permits = new Permits({ account: { max: 10 } });
  const limited = (response: Response, maxMs: number) =>
    releaseAtEnd(response, permits.take({ account: "" }), maxMs);
  const endless = () =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          await Bun.sleep(1);
          controller.enqueue(new Uint8Array(10));
        },
      }),
    );
  const unread = limited(endless(), 20);
  const held = permits.take({ account: "" });
  await expect(limited(endless(), 20).arrayBuffer()).rejects.toThrow("too long");
  expect(permits.at("account").used).toBe(1);
  await expect(unread.arrayBuffer()).rejects.toThrow("too long");
  await limited(new Response("short"), 1_000).text();
  expect(permits.at("account").used).toBe(1);
  held();
});
