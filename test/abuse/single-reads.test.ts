import { expect, test } from "bun:test";
import type { Caller } from "../support/caller.ts";
import { bodies, download, note, ORGANIZATION_TICKETS, read, report } from "../support/helpdesk.ts";
import { pngWith } from "../support/images.ts";
import { createOrganization } from "../support/organizations.ts";
import { idOf } from "../support/outcomes.ts";
import { expectStatus, startService } from "../support/service.ts";

/*
 * Reads single records as the administrator of 9,500 units; the records belong to a person in the deepest unit. The
 * cost is compared with the same reads by an administrator of the whole organization.
 */

const t = await startService();
const org = await createOrganization(t);
const root = await org.unit("Europe");
const outside = await org.unit("America");
await t.sql(
  `INSERT INTO units (organization_id, parent_id, name) SELECT $1, $2, 'Unit ' || n FROM generate_series(1, 9400) n`,
  [org.id, root],
);
let deepest = root;
for (let level = 2; level <= 99; level += 1) deepest = await org.unit(`Level ${level}`, deepest);
await t.sql("ANALYZE units");

const wide = await org.member({ role: "UNIT_ADMIN", unit: root });
const person = await org.member({ role: "MEMBER", unit: deepest });
const stranger = await org.member({ role: "MEMBER", unit: outside });
const todoOf = async (who: Caller) =>
  expectStatus(await who.post("/api/todos", { title: "Water the plants" }), 201).body.id;
const ticket = await report(person, {}, [pngWith()]);
const paths = {
  todo: `/api/todos/${await todoOf(person)}`,
  member: `/api/members/${idOf(person)}`,
  ticket: `${ORGANIZATION_TICKETS}/${ticket.id}`,
  image: `/api/support/attachments/${ticket.messages[0]?.attachments[0]?.id}`,
};

const ROUNDS = 41;
const MAX_RATIO = 10;

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

for (const [name, path] of Object.entries(paths))
  test(`reading a ${name} as the administrator of 9,500 units takes at most ${MAX_RATIO} times as long as for the whole organization`, async () => {
    const times: Record<"wide" | "whole", number[]> = { wide: [], whole: [] };
    const get = (who: Caller) => async () => {
      const response = await fetch(t.url + path, { headers: { authorization: `Bearer ${who.accessToken}` } });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      times.whole.push(await milliseconds(get(org.admin)));
      times.wide.push(await milliseconds(get(wide)));
    }
    expect(median(times.wide) / median(times.whole)).toBeLessThan(MAX_RATIO);
  });

test("the administrator of 9,500 units can read the records of members in these units, and no others", async () => {
  const own = await todoOf(wide);
  const theirs = await todoOf(stranger);
  const foreign = await report(stranger, {}, [pngWith()]);
  expectStatus(await wide.get(`/api/todos/${own}`), 200);
  const member = expectStatus(await wide.get(`/api/members/${idOf(person)}`), 200).body;
  expect(member).toEqual(expectStatus(await org.admin.get(`/api/members/${idOf(person)}`), 200).body);
  for (const path of [
    `/api/todos/${theirs}`,
    `/api/members/${idOf(stranger)}`,
    `${ORGANIZATION_TICKETS}/${foreign.id}`,
    `${ORGANIZATION_TICKETS}/${foreign.id}/messages`,
    `/api/support/attachments/${foreign.messages[0]?.attachments[0]?.id}`,
  ])
    expect([path, (await wide.get(path)).status]).toEqual([path, 404]);
  expectStatus(await wide.patch(`/api/todos/${theirs}`, { completed: true }), 404);
  expectStatus(await wide.patch(paths.todo, { completed: true }), 200);
});

test("a member with units inside and outside of the reader's reach is shown only with those inside", async () => {
  const both = await org.member({ role: "MEMBER", unit: outside }, { role: "UNIT_ADMIN", unit: deepest });
  await org.link(both, root);
  const { assignments, units } = expectStatus(await wide.get(`/api/members/${idOf(both)}`), 200).body;
  expect(units.map(({ id }: { id: string }) => id).sort()).toEqual([deepest, root].sort());
  expect(assignments).toMatchObject([{ role: { name: "UNIT_ADMIN" }, unit: { id: deepest } }]);
});

test("X-Filter-Unit hides a todo unless its owner is in a unit that is in both the filter and the reader's reach", async () => {
  const ask = async (who: Caller, ...units: string[]) =>
    (await who.get(paths.todo, { headers: { "x-filter-unit": units.join(",") } })).status;
  for (const who of [wide, org.admin]) {
    expect(await ask(who, root)).toBe(200);
    expect(await ask(who, deepest)).toBe(200);
    expect(await ask(who, outside)).toBe(404);
    expect(await ask(who, outside, deepest)).toBe(200);
    expect(await ask(who, crypto.randomUUID())).toBe(404);
  }
  // The units of the filter contain the owner, but the reader is in another organization.
  const { admin } = await createOrganization(t, "Elsewhere");
  expect(await ask(admin, root)).toBe(404);
});

test("the administrator of 9,500 units can read notes by current and former members of these units, with their images", async () => {
  const writers = {
    inside: await org.member({ role: "UNIT_ADMIN", unit: root }),
    outside: await org.member({ role: "ORG_ADMIN" }, { role: "MEMBER", unit: outside }),
    former: await org.member({ role: "ORG_ADMIN" }, { role: "MEMBER", unit: deepest }),
  };
  const images: Record<string, string> = {};
  for (const [name, who] of Object.entries(writers))
    images[name] =
      (await note(who, ORGANIZATION_TICKETS, ticket.id, name, { images: [pngWith()] })).attachments[0]?.id ??
      "";
  expectStatus(await org.admin.delete(`/api/members/${idOf(writers.former)}`), 204);
  const shown = bodies(await read(wide, ORGANIZATION_TICKETS, ticket.id));
  expect(shown).toEqual(["Since this morning.", "inside", "former"]);
  for (const [name, id] of Object.entries(images))
    expect([name, (await download(wide, id)).status]).toEqual([name, name === "outside" ? 404 : 200]);
});
