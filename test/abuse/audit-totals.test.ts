import { beforeAll, expect, test } from "bun:test";
import { allEvents, EVENTS, eventPage } from "../support/audit.ts";
import type { Caller } from "../support/caller.ts";
import { makeUp } from "../support/document.ts";
import { createOrganization, type Organization, userIdOf } from "../support/organizations.ts";
import { expectStatus, sharedService } from "../support/service.ts";

const t = await sharedService();
/** The number of matching users: more than a search of the audit log passes as ids. */
const PEOPLE = 1_100;
let org: Organization;
let auditor: Caller;
let [outsider, colleague] = ["", ""];

beforeAll(async () => {
  org = await createOrganization(t);
  const unit = await org.unit("Crowded");
  auditor = await org.member({ role: "UNIT_ADMIN", unit });
  const one = await org.member({ role: "MEMBER", unit });
  colleague = await userIdOf(t, one);
  const other = await org.member({ role: "MEMBER", unit: await org.unit("Elsewhere") });
  outsider = await userIdOf(t, other);
  await t.sql(
    `WITH people AS (
       INSERT INTO users (email, first_name, last_name, language, email_verified_at)
       SELECT 'crowd-' || n || '@example.com', 'Ada', 'Lovelace', 'EN', now() FROM generate_series(1, $3::int) n
       RETURNING id), members AS (
       INSERT INTO memberships (organization_id, user_id) SELECT $1, id FROM people RETURNING id)
     INSERT INTO membership_units (membership_id, unit_id) SELECT id, $2 FROM members`,
    [org.id, unit, PEOPLE],
  );
  // Events of a colleague, whom the auditor may read, of an outsider, and without an actor.
  await makeUp(
    t.sql<{ id: string }>(
      `INSERT INTO audit_events (action, actor_id, organization_id, request_id)
     SELECT 'UNIT_UPDATED', actor, $1, 'needle-' || n
     FROM unnest(ARRAY[$2, $3, NULL]::uuid[]) actor, generate_series(1, 23) n RETURNING id`,
      [org.id, colleague, outsider],
    ),
  );
});

test("the total of an audit log search equals the rows of all pages, however many users the auditor's units have", async () => {
  for (const [query, total] of [
    ["search=needle", 23],
    ["search=needle-1", 11],
    ["search=UNIT_UPDATED", 23],
    [`search=needle&actorId=${colleague}`, 23],
    ["search=crowd-", 0],
  ] as const) {
    // Reads all pages, also the last ones: each must have the same total.
    const events = await allEvents(auditor, query);
    const paged = await Promise.all(
      [1, 2, 3, 4].map((page) => eventPage(auditor, `${query}&pageSize=7&page=${page}`)),
    );
    expect([query, events.length]).toEqual([query, total]);
    expect(paged.map((page) => page.total)).toEqual([total, total, total, total]);
    expect(paged.flatMap(({ data }) => data)).toEqual(events.slice(0, 28));
  }
});

test("an audit log search does not reveal whether someone outside the auditor's units did something", async () => {
  const probes = ["needle", "needle-7", "UNIT_", "@example.com", "127.0.0.1"].flatMap((search) =>
    [`actorId=${outsider}`, `member=${outsider}`].map((who) => `search=${search}&${who}`),
  );
  const responses = [];
  for (const probe of probes) responses.push(expectStatus(await auditor.get(`${EVENTS}?${probe}`), 200).body);
  expect(responses.map(({ total, data }) => [total, data.length])).toEqual(probes.map(() => [0, 0]));
  // An administrator can read these events, so they exist.
  expect((await eventPage(org.admin, `search=needle&actorId=${outsider}`)).total).toBe(23);
});
