import { expect, test } from "bun:test";
import { ALL_EVENTS, type AuditEvent, allEvents, EVENTS, storeEvent } from "../../support/audit.ts";
import { auditWorld, giveRoles, newUnit, sendInvitation, setUnits } from "../../support/audit-world.ts";
import type { Caller } from "../../support/caller.ts";
import { makeUp } from "../../support/document.ts";
import { createOrganization } from "../../support/organizations.ts";
import { actingIn, idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

type Options = { path?: string; headers?: Record<string, string> };
const exported = async (caller: Caller, query: string, { path = EVENTS, headers = {} }: Options = {}) =>
  expectStatus(await caller.get(`${path}/export?${query}`, { headers }), 200);

const asLines = async (caller: Caller, query = "", options: Options = {}): Promise<AuditEvent[]> => {
  const { body } = await exported(caller, `format=ndjson&${query}`, options);
  return (body as string)
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
};

/** Parses CSV according to RFC 4180; throws if a cell is not quoted. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  const CELL = /"((?:[^"]|"")*)"(,|\r\n)/y;
  for (let row: string[] = []; CELL.lastIndex < text.length; ) {
    const found = CELL.exec(text);
    if (found === null) throw new Error(`No CSV: ${text.slice(0, 500)}`);
    row.push(found[1]?.replaceAll('""', '"') ?? "");
    if (found[2] === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

const COLUMNS =
  "id,time,action,actorId,actorEmail,targetType,targetId,organizationId,ip,requestId,metadata,actorType,apiKeyId,product,clientId,grantId".split(
    ",",
  );
const asCells = (event: AuditEvent) => [
  event.id,
  event.time,
  event.action,
  event.actorId ?? "",
  event.actor?.email ?? "",
  event.targetType ?? "",
  event.targetId ?? "",
  event.organizationId ?? "",
  event.ip ?? "",
  event.requestId ?? "",
  JSON.stringify(event.metadata),
  event.actorType ?? "",
  event.serviceAccount?.keyId ?? "",
  String(event.product),
  event.client?.id ?? "",
  event.client?.grantId ?? "",
];

/** Creates an organization with several kinds of events; some are hidden from the viewer, others trimmed. */
async function eventful() {
  const found = await auditWorld(t);
  const { org, above, own, below, side, viewer, insider } = found;
  const person = await org.member({ role: "MEMBER", unit: below });
  const changes = [
    newUnit(insider, below),
    newUnit(insider, above),
    newUnit(org.admin, own),
    newUnit(viewer, own),
    giveRoles(insider, person, { role: "MEMBER", unit: side }, { role: "UNIT_ADMIN", unit: own }),
    setUnits(insider, person, side, own, below),
    sendInvitation(insider, { role: "MEMBER", unit: below }),
    sendInvitation(insider, { role: "MEMBER" }),
  ];
  for (const change of changes) await change({ headers: {} });
  await storeEvent(t, {
    organizationId: org.id,
    actorId: idOf(viewer),
    metadata: { name: 'a "b", c\r\nd é' },
  });
  return { ...found, person };
}

test("an export in either format contains the same events as the whole list, trimmed for a unit administrator", async () => {
  const { org, viewer } = await eventful();
  const platform = { path: ALL_EVENTS, ...actingIn(org) };
  for (const [caller, options] of [
    [viewer, {}],
    [org.admin, {}],
    [await t.platformAdmin(), platform],
    [await t.platformAdmin(), actingIn(org)],
  ] as const) {
    const list = await allEvents(caller, "", options);
    expect(await asLines(caller, "", options)).toEqual(list);
    // A platform administrator's export writes an event itself, so the list is read again.
    const again = await allEvents(caller, "", options);
    expect(readCsv((await exported(caller, "", options)).body)).toEqual([COLUMNS, ...again.map(asCells)]);
  }
  const [some, all] = [await allEvents(viewer), await allEvents(org.admin)];
  expect(some.length).toBeWithin(5, all.length);
  const changed = (events: AuditEvent[]) => events.find(({ action }) => action === "MEMBER_ROLES_CHANGED");
  expect(changed(some)?.metadata).not.toEqual(changed(all)?.metadata as never);
});

test("an export accepts the filters and both sort orders of the list, but no paging parameters", async () => {
  const { org, below, own, viewer, insider, person } = await eventful();
  for (const query of [
    "order=asc",
    "order=desc",
    "action=UNIT_CREATED",
    `actorId=${idOf(insider)}`,
    `targetType=user&targetId=${idOf(person)}&order=asc`,
    `search=${encodeURIComponent(insider.email.toUpperCase())}`,
    `unit=${below}`,
    `unit=${own}&member=${idOf(viewer)}`,
    `member=${idOf(viewer)}&member=${idOf(org.admin)}`,
    "from=2020-01-01&to=2999-12-31",
    "to=2020-01-01",
  ])
    for (const caller of [viewer, org.admin]) {
      const list = await allEvents(caller, query);
      expect([query, await asLines(caller, query)]).toEqual([query, list]);
      const { body } = await exported(caller, `format=csv&${query}`);
      expect([query, readCsv(body).length]).toEqual([query, list.length + 1]);
    }
  for (const query of ["page=1", "pageSize=10", "sort=time", "format=xml", "order=up", "from=2026-02-30"])
    expect([query, outcome(await viewer.get(`${EVENTS}/export?${query}`))]).toEqual([
      query,
      "400 VALIDATION_FAILED",
    ]);
});

test("an export has its content type, an attachment file name, no-store and the usual headers", async () => {
  const org = await createOrganization(t);
  for (const [query, type, name] of [
    ["", "text/csv; charset=utf-8", "audit-events.csv"],
    ["format=csv", "text/csv; charset=utf-8", "audit-events.csv"],
    ["format=ndjson", "application/x-ndjson", "audit-events.ndjson"],
  ] as const) {
    const { headers } = await exported(org.admin, query, { headers: { "x-request-id": "export-1" } });
    expect(headers.get("content-type")).toBe(type);
    expect(headers.get("content-disposition")).toBe(`attachment; filename="${name}"`);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-request-id")).toBe("export-1");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
});

test("an export without events is only the header line in CSV, and empty in NDJSON", async () => {
  const org = await createOrganization(t);
  const { body } = await exported(org.admin, "to=2000-01-01");
  expect(body).toBe(`${COLUMNS.map((column) => `"${column}"`).join(",")}\r\n`);
  expect((await exported(org.admin, "format=ndjson&to=2000-01-01")).body).toBe("");
});

test("in CSV, all cells are quoted and lines end with CRLF, so that every event can be read back unchanged", async () => {
  const org = await createOrganization(t);
  const metadata = { name: 'Quote " comma , line \n return \r tab \t Ελ 😀', nested: [{ deep: null }] };
  const id = await storeEvent(t, {
    organizationId: org.id,
    action: "A,B",
    ip: 'x"y',
    requestId: "one\ntwo",
    metadata,
  });
  const text = (await exported(org.admin, `action=${encodeURIComponent("A,B")}`)).body as string;
  const [, cells, ...others] = readCsv(text);
  expect(others).toEqual([]);
  expect(JSON.parse(cells?.[10] ?? "")).toEqual(metadata);
  expect([cells?.[0], cells?.[2], cells?.[8], cells?.[9]]).toEqual([id, "A,B", 'x"y', "one\ntwo"]);
  expect(text.endsWith("\r\n")).toBe(true);
  expect(text).toContain(`,"A,B","","","","","${org.id}","x""y","one\ntwo","{`);
});

test("CSV begins with the byte order mark of UTF-8, once, with and without events, and NDJSON does not", async () => {
  const org = await createOrganization(t);
  await storeEvent(t, { organizationId: org.id, action: "Όνομα" });
  const begins = async (query: string) => {
    const headers = { authorization: `Bearer ${org.admin.accessToken}` };
    const response = await fetch(`${t.url}${EVENTS}/export?${query}`, { headers });
    const bytes = Buffer.from(await response.arrayBuffer());
    return [bytes.subarray(0, 5).toString("hex"), bytes.lastIndexOf("\ufeff")];
  };
  expect(await begins("")).toEqual([`efbbbf${Buffer.from('"i').toString("hex")}`, 0]);
  expect(await begins("to=2000-01-01")).toEqual([`efbbbf${Buffer.from('"i').toString("hex")}`, 0]);
  expect(await begins("format=ndjson&order=asc")).toEqual([Buffer.from('{"id"').toString("hex"), -1]);
});

test("a CSV cell gets a leading ' only if a spreadsheet would interpret it as a formula", async () => {
  const org = await createOrganization(t);
  const formulas = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", '=HYPERLINK("http://x","y")', "-"];
  const harmless = ["1=1", "a+b", "1-1", "a@b", " =1", "'x", "x\ty"];
  for (const requestId of [...formulas, ...harmless])
    await storeEvent(t, { organizationId: org.id, action: "FORMULA", requestId, ip: requestId });
  const mark = crypto.randomUUID().slice(0, 8);
  const person = await t.person({ email: `=cmd|'/c'!a${mark}@example.com` });
  await org.add(person, { role: "MEMBER" });
  await storeEvent(t, { organizationId: org.id, action: "FORMULA", actorId: idOf(person) });
  const rows = readCsv((await exported(org.admin, "action=FORMULA&order=asc")).body).slice(1);
  expect(rows.map((cells) => cells[9])).toEqual([...formulas.map((value) => `'${value}`), ...harmless, ""]);
  expect(rows.map((cells) => cells[8])).toEqual(rows.map((cells) => cells[9] as string));
  expect(rows.at(-1)?.[4]).toBe(`'${person.email}`);
  const lines = await asLines(org.admin, "action=FORMULA&order=asc");
  expect(lines.map(({ requestId }) => requestId)).toEqual([...formulas, ...harmless, null]);
});

test("metadata contains no formula even if a spreadsheet splits the CSV at semicolons, and can be read back unchanged", async () => {
  const org = await createOrganization(t);
  const metadata = { name: "Acme;=cmd|' /C calc'!A0;+1", list: [";@SUM(A1)"], ";key": "\\;" };
  const role = expectStatus(
    await org.admin.post("/api/roles", { name: "Staff;=1+1", permissions: [] }, {}),
    201,
  ).body;
  await storeEvent(t, { organizationId: org.id, action: "ROLE_CREATED", metadata });
  const text = (await exported(org.admin, "action=ROLE_CREATED")).body as string;
  expect(text).not.toContain(";");
  expect(text).toContain("Acme\\u003b=cmd");
  const [stored, made] = readCsv(text).slice(1);
  expect(JSON.parse(stored?.[10] ?? "")).toEqual(metadata);
  expect(JSON.parse(made?.[10] ?? "").name).toBe(role.name);
  // NDJSON is not escaped, because spreadsheets do not read it.
  const lines = await asLines(org.admin, "action=ROLE_CREATED");
  expect(lines.map(({ metadata }) => metadata)).toContainEqual(metadata);
});

test("an export of several pages has each event once and in order, also events with equal times", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("One");
  const viewer = await org.member({ role: "UNIT_ADMIN", unit });
  // 2,500 events at 5 different times, so that pages begin between events of the same time; a third is by the viewer.
  await makeUp(
    t.sql<{ id: string }>(
      `INSERT INTO audit_events (action, actor_id, organization_id, request_id, time)
     SELECT 'UNIT_UPDATED', (ARRAY[$2::uuid, $3, NULL])[1 + n % 3], $1, n, now() - n % 5 * interval '1 hour'
     FROM generate_series(1, 2500) n RETURNING id`,
      [org.id, idOf(viewer), idOf(org.admin)],
    ),
  );
  for (const order of ["asc", "desc"])
    for (const caller of [org.admin, viewer]) {
      const query = `order=${order}&action=UNIT_UPDATED`;
      const list = await allEvents(caller, query);
      expect(list).toHaveLength(caller === viewer ? 833 : 2500);
      expect((await asLines(caller, query)).map(({ id }) => id)).toEqual(list.map(({ id }) => id));
      const rows = readCsv((await exported(caller, query)).body).slice(1);
      expect(rows.map(([id]) => id)).toEqual(list.map(({ id }) => id));
    }
  // A number of events that fills the last page exactly.
  await t.sql(
    `INSERT INTO audit_events (action, organization_id) SELECT 'EVEN', $1 FROM generate_series(1, 1000)`,
    [org.id],
  );
  expect(await asLines(org.admin, "action=EVEN")).toHaveLength(1000);
});

test("the platform's export has all events, including those without an organization", async () => {
  const admin = await t.platformAdmin();
  const [one, other] = [await createOrganization(t), await createOrganization(t)];
  const query = `member=${idOf(one.admin)}&member=${idOf(other.admin)}`;
  const list = await allEvents(admin, query, { path: ALL_EVENTS });
  expect(await asLines(admin, query, { path: ALL_EVENTS })).toEqual(list);
  expect(new Set(list.map(({ organizationId }) => organizationId))).toEqual(
    new Set([null, one.id, other.id]),
  );
  const narrowed = await asLines(admin, `organization=${one.id}`, { path: ALL_EVENTS });
  expect(new Set(narrowed.map(({ organizationId }) => organizationId))).toEqual(new Set([one.id]));
});
