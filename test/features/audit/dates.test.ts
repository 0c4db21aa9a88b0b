import { expect, test } from "bun:test";
import { ALL_EVENTS, allEvents, EVENTS, eventPage, storeEvent, storeEvents } from "../../support/audit.ts";
import { createOrganization, userIdOf } from "../../support/organizations.ts";
import { actingIn, messages, outcome } from "../../support/outcomes.ts";
import { eventsByBar } from "../../support/overview.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

/* Times of audit events: the filters `from` and `to`, the sort order, and the pages. */

const t = await sharedService();

/** Creates an organization with one event per time; `seen` returns the indexes of the listed events. */
async function organizationWith(times: string[]) {
  const org = await createOrganization(t);
  const named = Object.fromEntries(times.map((time, index) => [`${index}`, { time }]));
  return { org, seen: await storeEvents(t, org, named) };
}

test("a date covers the whole day in UTC, a timestamp may have any offset, and both bounds are inclusive", async () => {
  const { org, seen } = await organizationWith([
    "2020-02-28T23:59:59.999Z", // 0
    "2020-02-29T00:00:00.000Z", // 1
    "2020-02-29T12:00:00.000Z", // 2
    "2020-02-29T23:59:59.999Z", // 3
    "2020-03-01T00:00:00.000Z", // 4
  ]);
  const cases: [{ from?: string; to?: string }, string][] = [
    [{ from: "2020-02-29", to: "2020-02-29" }, "321"],
    [{ from: "2020-02-29", to: "2020-03-01" }, "4321"],
    [{ to: "2020-02-28" }, "0"],
    [{ to: "2020-02-29" }, "3210"],
    [{ from: "2020-03-01", to: "2020-12-31" }, "4"],
    [{ from: "2020-02-29T12:00:00Z", to: "2020-02-29T12:00:00Z" }, "2"],
    [{ from: "2020-02-29T12:00:00.000Z", to: "2020-02-29T12:00:00.000Z" }, "2"],
    [{ from: "2020-02-29T14:00:00+02:00", to: "2020-02-29T14:00:00+02:00" }, "2"],
    [{ from: "2020-02-29T06:30:00-05:30", to: "2020-02-29T06:30:00-05:30" }, "2"],
    [{ from: "2020-02-29T12:00:00.001Z", to: "2020-02-29" }, "3"],
    [{ to: "2020-02-29T11:59:59.999Z" }, "10"],
    [{ from: "2020-02-29T23:59:59.999Z", to: "2020-03-01T00:00:00.000Z" }, "43"],
    [{ from: "2020-02-29", to: "2020-02-29T00:00:00Z" }, "1"],
    // A range whose start is after its end is empty, not an error.
    [{ from: "2020-03-01", to: "2020-02-28" }, ""],
    [{ from: "2020-02-29T12:00:00.001Z", to: "2020-02-29T12:00:00.000Z" }, ""],
  ];
  const admin = await t.platformAdmin();
  for (const [range, names] of cases) {
    const query = `${new URLSearchParams(range)}`;
    expect([query, (await seen(org.admin, query)).join("")]).toEqual([query, names]);
    const options = { path: ALL_EVENTS, ...actingIn(org) };
    expect([query, (await seen(admin, query, options)).join("")]).toEqual([query, names]);
  }
});

test("a filter time between two milliseconds separates the events of both", async () => {
  const { org, seen } = await organizationWith(["2020-02-29T12:00:00.000Z", "2020-02-29T12:00:00.001Z"]);
  expect(await seen(org.admin, "from=2020-02-29T12:00:00.0005Z&to=2020-02-29")).toEqual(["1"]);
  expect(await seen(org.admin, "from=2020-02-29&to=2020-02-29T12:00:00.0005Z")).toEqual(["0"]);
});

test("`from` after `to` is an empty page with total 0", async () => {
  const org = await createOrganization(t);
  const empty = { data: [], total: 0, page: 1, pageSize: 20 };
  expect(await eventPage(org.admin, "from=2030-01-02&to=2030-01-01")).toEqual(empty);
});

test("an invalid date is rejected with a message that shows the format", async () => {
  const org = await createOrganization(t);
  const admin = await t.platformAdmin();
  const wrong = [
    ...["", "yesterday", "2026", "2026-02", "2026-1-1", "01/02/2026", "1767225600", "2026-W05", "20260131"],
    ...["2026-02-29", "2026-02-30", "2026-04-31", "2026-13-01", "2026-00-10", "2026-01-00", "2026-01-32"],
    ...["2026-01-31T25:00:00Z", "2026-01-31T10:60:00Z", "2026-02-30T10:00:00Z", "2026-01-31T10:00:00"],
    ...["2026-01-31T10:00:00+2", "2026-01-31T10:00:00 02:00", "2026-01-31 10:00:00Z", " 2026-01-31"],
    ...["2026-01-31T10:00:00+25:00", "-2026-01-31", "infinity", "now"],
  ];
  for (const value of wrong)
    for (const name of ["from", "to"]) {
      const query = new URLSearchParams({ [name]: value });
      for (const response of [
        await org.admin.get(`${EVENTS}?${query}`),
        await admin.get(`${ALL_EVENTS}?${query}`),
      ]) {
        expect([value, outcome(response)]).toEqual([value, "400 VALIDATION_FAILED"]);
        const [message, ...others] = messages(response);
        expect(others).toEqual([]);
        expect(message).toStartWith(`${name} `);
        expect(message).toMatch(/2026-01-31.*ISO 8601/);
      }
    }
});

test("dates from the first to the last representable year are accepted", async () => {
  const { org, seen } = await organizationWith(["2020-01-01T00:00:00Z"]);
  for (const [query, names] of [
    ["from=0001-01-01", ["0"]],
    ["to=0001-01-01", []],
    ["from=9999-12-31", []],
    ["to=9999-12-31", ["0"]],
    ["to=9999-12-31T23:59:59.999Z", ["0"]],
    [`to=${encodeURIComponent("9999-12-31T23:59:59.999-14:00")}`, ["0"]],
    [`from=${encodeURIComponent("0001-01-01T00:00:00+14:00")}`, ["0"]],
  ] as const) {
    const response = await org.admin.get(`${EVENTS}?${query}`);
    expect([query, outcome(response)]).toEqual([query, "200"]);
    expect([query, await seen(org.admin, query)]).toEqual([query, [...names]]);
  }
});

test("the year 0000 in an audit filter never causes a 500", async () => {
  const org = await createOrganization(t);
  for (const name of ["from", "to"])
    for (const value of ["0000-01-01", "0000-12-31T23:59:59Z"]) {
      const { status } = await org.admin.get(`${EVENTS}?${name}=${value}`);
      expect([name, value, status < 500]).toEqual([name, value, true]);
    }
});

test("events are listed newest first, or oldest first on request; equal times are ordered by id", async () => {
  const { org, seen } = await organizationWith([
    "2020-01-02T00:00:00Z", // 0
    "2020-01-01T00:00:00Z", // 1
    "2020-01-02T00:00:00Z", // 2
    "2020-01-03T00:00:00Z", // 3
    "2020-01-02T00:00:00Z", // 4
  ]);
  for (const [query, names] of [
    ["", "34201"],
    ["sort=time", "34201"],
    ["order=desc", "34201"],
    ["order=asc", "10243"],
    ["order=asc&sort=time", "10243"],
  ] as const) {
    expect([query, (await seen(org.admin, query)).join("")]).toEqual([query, names]);
    const admin = await t.platformAdmin();
    const options = { path: ALL_EVENTS, ...actingIn(org) };
    expect([query, (await seen(admin, query, options)).join("")]).toEqual([query, names]);
  }
});

test("the pages of the audit list add up to the whole list, with the same `total` on each page", async () => {
  const times = Array.from({ length: 23 }, (_, index) => `2020-01-01T00:00:0${index % 4}Z`);
  const { org } = await organizationWith(times);
  const all = await allEvents(org.admin);
  expect(all).toHaveLength(24);
  for (const order of ["desc", "asc"])
    for (const pageSize of [1, 7, 24, 100]) {
      const pieces = [];
      for (let page = 1; page <= Math.ceil(24 / pageSize); page += 1) {
        const piece = await eventPage(org.admin, `order=${order}&pageSize=${pageSize}&page=${page}`);
        expect([piece.total, piece.page, piece.pageSize]).toEqual([24, page, pageSize]);
        pieces.push(...piece.data);
      }
      expect(pieces).toEqual(order === "desc" ? all : all.toReversed());
    }
  const beyond = { data: [], total: 24, page: 1_000_000_000, pageSize: 100 };
  expect(await eventPage(org.admin, "page=1000000000&pageSize=100")).toEqual(beyond);
});

test("`total` equals the number of events on all pages, for every filter", async () => {
  const org = await createOrganization(t);
  const people = [await org.member(), await org.member()];
  const unit = await org.unit("One");
  for (const person of people) await org.link(person, unit);
  const { id } = (await org.admin.get("/api/profile")).body;
  const filters = ["search=member", `actorId=${id}`, "targetType=user", "from=2020-01-01", "to=2020-01-01"];
  const more = [`unit=${unit}`, `member=${id}`, "action=MEMBER_UNITS_CHANGED"];
  for (const one of [...filters, ...more])
    for (const other of ["", ...filters, ...more]) {
      if (one.split("=")[0] === other.split("=")[0]) continue;
      const query = `${one}&${other}`;
      const page = await eventPage(org.admin, `${query}&pageSize=100`);
      expect([query, page.total]).toEqual([query, page.data.length]);
    }
});

const HISTOGRAM = "/api/organization/audit-events/histogram";

test("the audit histogram counts the events that the list returns with the same filters, in at most 120 bars", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Unit");
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit });
  const actors = await Promise.all([org.admin, unitAdmin].map((who) => userIdOf(t, who)));
  for (const [seconds, interval] of [
    [3_000, "minute"],
    [90_000, "hour"],
    [40 * 86_400, "day"],
    [400 * 86_400, "week"],
    [1_500 * 86_400, "month"],
  ] as const) {
    for (let number = 0; number < 10; number += 1) {
      const time = new Date(Date.now() - (seconds * 1_000 * number) / 10).toISOString();
      for (const actorId of actors)
        await storeEvent(t, { organizationId: org.id, actorId, action: "UNIT_CREATED", time });
    }
    const day = new Date(Date.now() - seconds * 500).toISOString();
    for (const caller of [org.admin, unitAdmin])
      for (const query of ["", "action=UNIT_CREATED", `from=${day}`, `to=${day}`, "search=unit"]) {
        const { body } = expectStatus(await caller.get(`${HISTOGRAM}?${query}`), 200);
        expect(body.data.length).toBeLessThanOrEqual(120);
        expect(body.data.map(({ count }: { count: number }) => count)).toEqual(
          await eventsByBar(caller, query, body.data),
        );
        if (query === "") expect(body.interval).toBe(interval);
      }
  }
  expectStatus(await (await org.member({ role: "MEMBER" })).get(HISTOGRAM), 403);
  expectStatus(await org.admin.get(`${HISTOGRAM}?sort=time`), 400);
});
