import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { EVENTS } from "../support/audit.ts";
import type { Caller } from "../support/caller.ts";
import { until } from "../support/cluster.ts";
import { pngOfSize } from "../support/forms.ts";
import { report } from "../support/helpdesk.ts";
import { createOrganization } from "../support/organizations.ts";
import { race } from "../support/race.ts";
import { sharedService } from "../support/service.ts";

/* A HEAD request on a streamed response has no body, so it must not occupy a stream, an export or a file handle. */

const t = await sharedService();
const STREAM = "/api/notifications/stream";
const EXPORT = `${EVENTS}/export?format=ndjson`;
const HEADS = 60;
const MAX_STREAMS = 10;

/** Sends many HEAD requests concurrently; returns the number of responses per status. */
async function heads(caller: Caller, path: string, atOnce = HEADS): Promise<Record<number, number>> {
  const headers = { authorization: `Bearer ${caller.accessToken}` };
  const found: Record<number, number> = {};
  await race(atOnce, async () => {
    const response = await fetch(t.url + path, { method: "HEAD", headers });
    expect(await response.text()).toBe("");
    found[response.status] = (found[response.status] ?? 0) + 1;
  });
  return found;
}

/** Opens streams of a user; returns how many were accepted. */
async function freeSlots(person: Caller): Promise<number> {
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${person.accessToken}` };
  const streams = await race(MAX_STREAMS + 2, () =>
    fetch(t.url + STREAM, { headers, signal: leaving.signal }),
  );
  leaving.abort();
  return streams.filter(({ status }) => status === 200).length;
}

test("HEAD on the event stream does not count towards the user's open streams", async () => {
  const person = await t.person();
  for (let round = 0; round < 3; round += 1) {
    const found = await heads(person, STREAM);
    expect(Object.keys(found).every((status) => status === "200" || status === "429")).toBe(true);
    expect(await until(async () => ((await freeSlots(person)) === MAX_STREAMS ? true : null))).toBe(true);
  }
});

test("HEAD on an export does not count towards the organization's concurrent exports", async () => {
  const org = await createOrganization(t);
  const admins = [org.admin, await org.member({ role: "ORG_ADMIN" })];
  await t.sql(
    `INSERT INTO audit_events (action, actor_id, organization_id, metadata, time)
     SELECT 'MEMBER_ROLES_CHANGED', NULL, $1, '{}', now() - n * interval '1 second' FROM generate_series(1, 20000) n`,
    [org.id],
  );
  const found = await heads(org.admin, EXPORT);
  expect(found[200]).toBeGreaterThan(0);
  const both = () =>
    race(2, async (index) => {
      const response = await fetch(t.url + EXPORT, {
        headers: { authorization: `Bearer ${admins[index]?.accessToken}` },
      });
      const text = await response.text();
      return response.status === 200 && text.split("\n").length > 20_000;
    });
  expect(await until(async () => ((await both()).every(Boolean) ? true : null))).toBe(true);
});

test("HEAD on an image leaves no file open", async () => {
  const { admin } = await createOrganization(t);
  const { messages } = await report(admin, {}, [pngOfSize(200_000)]);
  const image = `/api/support/attachments/${messages[0]?.attachments[0]?.id}`;
  const openFiles = () => readdirSync("/proc/self/fd").length;
  // The first requests open connections, which stay open.
  expect(await heads(admin, image)).toEqual({ 200: HEADS });
  const before = openFiles();
  for (let round = 0; round < 5; round += 1) expect(await heads(admin, image)).toEqual({ 200: HEADS });
  expect(await until(() => (openFiles() <= before + HEADS / 10 ? true : null))).toBe(true);
});
