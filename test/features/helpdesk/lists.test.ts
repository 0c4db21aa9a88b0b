import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import {
  note,
  ORGANIZATION_TICKETS,
  OWN_TICKETS,
  PLATFORM_TICKETS,
  page,
  report,
  setStatus,
  write,
} from "../../support/helpdesk.ts";
import { createOrganization } from "../../support/organizations.ts";
import { actingIn, idOf, messages, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();
const platform = await t.platformAdmin();

/** Creates an organization with three reporters, one report each: in a unit, in its sub-unit, and in no unit. */
async function desk() {
  const org = await createOrganization(t);
  const unit = await org.unit("Unit");
  const below = await org.unit("Below", unit);
  const people = {
    unit: await org.member({ role: "MEMBER", unit }),
    below: await org.member({ role: "MEMBER", unit: below }),
    nowhere: await org.member(),
  };
  for (const [place, who] of Object.entries(people)) await report(who, { subject: `From ${place}` });
  return { org, unit, below, people, unitAdmin: await org.member({ role: "UNIT_ADMIN", unit }) };
}
const subjects = async (who: Caller, place: string, query = "") =>
  (await page(who, place, query)).data.map(({ subject }) => subject);
const q = encodeURIComponent;

test("a ticket search matches subjects literally, ignoring case and accents", async () => {
  const org = await createOrganization(t);
  const [one, two] = [await org.member(), await org.member()];
  const all = ["Χάθηκε το αρχείο", "Café closed", "100% CPU", "snake_case", "snakeXcase"];
  for (const [index, subject] of all.entries()) await report(index % 2 ? one : two, { subject });
  const found: [string, string[]][] = [
    ["χαθηκε", ["Χάθηκε το αρχείο"]],
    ["ΑΡΧΕΙΟ", ["Χάθηκε το αρχείο"]],
    ["CAFE CL", ["Café closed"]],
    ["%", ["100% CPU"]],
    ["e_c", ["snake_case"]],
    ["snake", ["snakeXcase", "snake_case"]],
    ["\\", []],
    [" ", all.toReversed()],
  ];
  for (const [search, expected] of found)
    expect([search, await subjects(org.admin, ORGANIZATION_TICKETS, `search=${q(search)}`)]).toEqual([
      search,
      expected,
    ]);
  expect(outcome(await org.admin.get(`${ORGANIZATION_TICKETS}?search=${"x".repeat(201)}`))).toBe(
    "400 VALIDATION_FAILED",
  );
});

test("a search for #number finds the ticket with that number and subjects that contain the text, on every list", async () => {
  const org = await createOrganization(t);
  const who = await org.member();
  const { number } = await report(who, { subject: "First" });
  await report(who, { subject: `Again #${number}` });
  await report(who, { subject: "Other" });
  for (const [caller, place] of [
    [who, OWN_TICKETS],
    [org.admin, ORGANIZATION_TICKETS],
    [platform, PLATFORM_TICKETS],
  ] as const) {
    expect(await subjects(caller, place, `search=${q(`#${number}`)}`)).toEqual([`Again #${number}`, "First"]);
    expect(await subjects(caller, place, `search=${q("#999999999")}`)).toEqual([]);
    expect(await subjects(caller, place, `search=${q("#99999999999999999999")}`)).toEqual([]);
  }
  const stranger = await createOrganization(t);
  expect(await subjects(stranger.admin, ORGANIZATION_TICKETS, `search=${q(`#${number}`)}`)).toEqual([]);
});

test("staff can search tickets by the reporter's email, reporters cannot", async () => {
  const { org, people, unitAdmin } = await desk();
  const search = `search=${q(people.below.email.toUpperCase())}`;
  for (const [caller, place] of [
    [org.admin, ORGANIZATION_TICKETS],
    [unitAdmin, ORGANIZATION_TICKETS],
    [platform, PLATFORM_TICKETS],
  ] as const)
    expect(await subjects(caller, place, search)).toEqual(["From below"]);
  expect(await subjects(unitAdmin, ORGANIZATION_TICKETS, `search=${q(people.nowhere.email)}`)).toEqual([]);
  expect(await subjects(people.below, OWN_TICKETS, search)).toEqual([]);
});

test("tickets can be filtered by category and by one or several statuses", async () => {
  const { org, people } = await desk();
  const open = await report(people.unit, { subject: "A bill", category: "BILLING" });
  const { data } = await page(org.admin, ORGANIZATION_TICKETS, "search=from");
  const [one, two, three] = data.map(({ id }) => id);
  for (const [id, status] of [
    [one, "RESOLVED"],
    [two, "CLOSED"],
    [three, "IN_PROGRESS"],
  ] as const)
    expectStatus(await setStatus(org.admin, ORGANIZATION_TICKETS, id ?? "", status), 200);
  for (const [caller, place] of [
    [org.admin, ORGANIZATION_TICKETS],
    [platform, PLATFORM_TICKETS],
  ] as const) {
    const within = `organization=${org.id}&`;
    const query = place === PLATFORM_TICKETS ? within : "";
    expect(await subjects(caller, place, `${query}status=OPEN`)).toEqual([open.subject]);
    expect((await page(caller, place, `${query}status[]=RESOLVED&status=CLOSED`)).total).toBe(2);
    expect(await subjects(caller, place, `${query}category=BILLING`)).toEqual(["A bill"]);
    expect((await page(caller, place, `${query}category=BILLING&status=CLOSED`)).total).toBe(0);
  }
  expect(await subjects(people.unit, OWN_TICKETS, "status=OPEN&category=BILLING")).toEqual(["A bill"]);
});

test("an invalid ticket filter is refused, and the reporter's list refuses filters for staff", async () => {
  const { org } = await desk();
  const refused = async (caller: Caller, path: string) => messages(await caller.get(path));
  expect(await refused(org.admin, `${ORGANIZATION_TICKETS}?status=DONE`)).toEqual([
    "status.0 must be one of the following values: OPEN, IN_PROGRESS, RESOLVED, CLOSED",
  ]);
  expect(await refused(org.admin, `${ORGANIZATION_TICKETS}?category=BUG&category=OTHER`)).toEqual([
    "category must not be repeated",
  ]);
  expect(await refused(org.admin, `${ORGANIZATION_TICKETS}?sort=subject`)).toEqual([
    "sort must be one of the following values: lastActivityAt, createdAt, number",
  ]);
  expect(await refused(org.admin, `${ORGANIZATION_TICKETS}?unit=x`)).toEqual(["unit.0 must be a UUID"]);
  const many = Array.from({ length: 51 }, () => `member[]=${crypto.randomUUID()}`).join("&");
  expect(outcome(await org.admin.get(`${ORGANIZATION_TICKETS}?${many}`))).toBe("400 VALIDATION_FAILED");
  for (const name of ["unit", "member", "organization"])
    expect(await refused(org.admin, `${OWN_TICKETS}?${name}=${org.id}`)).toEqual([
      `property ${name} should not exist`,
    ]);
  expect(await refused(org.admin, `${ORGANIZATION_TICKETS}?organization=${org.id}`)).toEqual([
    "property organization should not exist",
  ]);
});

test("the unit and member filters return tickets of matching reporters that are also in the viewer's reach", async () => {
  const { org, unit, below, people, unitAdmin } = await desk();
  const other = await createOrganization(t);
  const elsewhere = await other.unit("Elsewhere");
  const asked: [string, string[], string[]][] = [
    [`unit=${unit}`, ["From below", "From unit"], ["From below", "From unit"]],
    [`unit[]=${below}`, ["From below"], ["From below"]],
    [`unit=${elsewhere}`, [], []],
    [`unit=${crypto.randomUUID()}`, [], []],
    [`member=${idOf(people.nowhere)}`, ["From nowhere"], []],
    [
      `member=${idOf(people.unit)}&member=${idOf(people.nowhere)}`,
      ["From nowhere", "From unit"],
      ["From unit"],
    ],
    [`unit=${below}&member=${idOf(people.unit)}`, [], []],
    ["", ["From nowhere", "From below", "From unit"], ["From below", "From unit"]],
  ];
  for (const [query, everything, inUnit] of asked) {
    for (const [caller, expected] of [
      [org.admin, everything],
      [unitAdmin, inUnit],
    ] as const) {
      const { data, total } = await page(caller, ORGANIZATION_TICKETS, query);
      expect([query, data.map(({ subject }) => subject), total]).toEqual([query, expected, expected.length]);
    }
    const across = query === "" ? `organization=${org.id}` : query;
    expect(await subjects(platform, PLATFORM_TICKETS, across)).toEqual(everything);
  }
});

test("the platform's ticket list combines the organization filter with the X-Organization-Id header", async () => {
  const [one, two] = [await desk(), await desk()];
  const total = async (query: string, header?: string) =>
    (
      await page(platform, PLATFORM_TICKETS, query, {
        headers: header ? { "x-organization-id": header } : {},
      })
    ).total;
  const [first, second] = [one.org.id, two.org.id];
  expect(await total(`organization=${first}`)).toBe(3);
  expect(await total(`organization[]=${first}&organization=${second}`)).toBe(6);
  expect(await total("", `${first},${second}`)).toBe(6);
  expect(await total(`organization=${first}`, second)).toBe(0);
  expect(await total(`organization=${first}&unit=${one.below}`, first)).toBe(1);
  expect(await total(`organization=${second}&unit=${one.below}`)).toBe(0);
  expect(await total("", crypto.randomUUID())).toBe(0);
});

test("a ticket without an organization is only on the platform's list and its reporter's", async () => {
  const who = await t.person();
  const subject = `Alone ${crypto.randomUUID()}`;
  await report(who, { subject });
  expect(await subjects(platform, PLATFORM_TICKETS, `search=${q(subject)}`)).toEqual([subject]);
  expect(await subjects(who, OWN_TICKETS)).toEqual([subject]);
  const org = await createOrganization(t);
  await org.add(who, { role: "MEMBER" });
  expect(await subjects(org.admin, ORGANIZATION_TICKETS)).toEqual([]);
});

test("tickets are listed by latest activity, or in the requested sort order", async () => {
  const { org, people } = await desk();
  const first = (await page(org.admin, ORGANIZATION_TICKETS, "sort=number&order=asc")).data[0];
  await write(people.unit, OWN_TICKETS, first?.id ?? "", "One thing more.");
  const orders = {
    "": ["From unit", "From nowhere", "From below"],
    "order=asc": ["From below", "From nowhere", "From unit"],
    "sort=lastActivityAt": ["From unit", "From nowhere", "From below"],
    "sort=createdAt": ["From nowhere", "From below", "From unit"],
    "sort=number&order=desc": ["From nowhere", "From below", "From unit"],
    "sort=number&order=asc": ["From unit", "From below", "From nowhere"],
  };
  for (const [query, expected] of Object.entries(orders)) {
    expect([query, await subjects(org.admin, ORGANIZATION_TICKETS, query)]).toEqual([query, expected]);
    expect(await subjects(platform, PLATFORM_TICKETS, `${query}&organization=${org.id}`)).toEqual(expected);
  }
});

test("the reporter's list has the caller's own tickets of all organizations, and no other tickets", async () => {
  const [one, two] = [await createOrganization(t, "One"), await createOrganization(t, "Two")];
  const who = await one.member();
  await report(who, { subject: "At one" });
  await two.add(who, { role: "MEMBER" });
  expectStatus(await who.post("/api/auth/organization", { organizationId: two.id }), 200);
  await report(who, { subject: "At two" });
  await report(two.admin, { subject: "Another's" });
  const { data, total } = await page(who, OWN_TICKETS);
  expect([data, total]).toMatchObject([
    [
      { subject: "At two", organizationName: "Two" },
      { subject: "At one", organizationName: "One" },
    ],
    2,
  ]);
  expect(await subjects(one.admin, ORGANIZATION_TICKETS)).toEqual(["At one"]);
});

test("`messageCount` counts only messages that the viewer may read", async () => {
  const { org, unit, people, unitAdmin } = await desk();
  const { id } = (await page(people.unit, OWN_TICKETS)).data[0] ?? { id: "" };
  await write(org.admin, ORGANIZATION_TICKETS, id, "A reply");
  await note(org.admin, ORGANIZATION_TICKETS, id, "By one outside the unit");
  await note(unitAdmin, ORGANIZATION_TICKETS, id, "By one inside");
  await note(platform, PLATFORM_TICKETS, id, "Of the platform");
  const reader = await org.role("Reader", "Helpdesk.Read", "Helpdesk.ReadOne");
  const another = await org.member({ role: reader, unit });
  const counts: [Caller, string, number][] = [
    [people.unit, OWN_TICKETS, 2],
    [org.admin, ORGANIZATION_TICKETS, 4],
    [unitAdmin, ORGANIZATION_TICKETS, 3],
    [another, ORGANIZATION_TICKETS, 3],
    [platform, PLATFORM_TICKETS, 5],
  ];
  for (const [caller, place, count] of counts) {
    const listed = (await page(caller, place, `search=${q("From unit")}&sort=number`)).data[0];
    const { body } = await caller.get(`${place}/${id}`);
    expect([listed?.messageCount, body.messageCount, body.messages.length]).toEqual([count, count, count]);
  }
  const named = await page(platform, ORGANIZATION_TICKETS, "", actingIn(org));
  expect(named.data.find((ticket) => ticket.id === id)?.messageCount).toBe(5);
});
