import { expect, test } from "bun:test";
import {
  ALL_EVENTS,
  allEvents,
  EVENTS,
  eventPage,
  storeEvent,
  storeEvents,
  traced,
} from "../../support/audit.ts";
import { deleteAccount } from "../../support/invitations.ts";
import { createOrganization, createOrganizationBy } from "../../support/organizations.ts";
import { actingIn, idOf } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();
const everywhere = { path: ALL_EVENTS };

test("an audit event has actor, action, target, organization, IP address, request id and time", async () => {
  const org = await createOrganization(t);
  const admin = await t.platformAdmin();
  const before = Date.now();
  const requestId = await traced((options) =>
    org.admin.post("/api/units", { name: "One", parentId: null }, options),
  );
  const [event] = (await eventPage(org.admin)).data;
  expect(event).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    action: "UNIT_CREATED",
    actor: { id: idOf(org.admin), email: org.admin.email },
    actorId: idOf(org.admin),
    actorType: "user",
    serviceAccount: null,
    client: null,
    targetType: "unit",
    targetId: expect.any(String),
    organizationId: org.id,
    metadata: { name: "One", parentId: null },
    ip: "127.0.0.1",
    requestId,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    product: false,
    text: null,
  });
  expect(Date.parse(event?.time ?? "")).toBeWithin(before - 5_000, Date.now() + 5_000);
  expect((await eventPage(admin, `search=${requestId}`, everywhere)).data).toEqual([event as never]);
});

test("`actor` is null only if the event has none; a deleted account remains the actor and is found by its email", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Own");
  const viewer = await org.member({ role: "UNIT_ADMIN", unit });
  const gone = await org.member({ role: "MEMBER", unit });
  const actor = { id: idOf(gone), email: gone.email };
  const one = await storeEvent(t, { organizationId: org.id, actorId: actor.id });
  const other = await storeEvent(t, { organizationId: org.id, actorId: null });
  expectStatus(await gone.post("/api/profile/delete", { password: "wide blue yonder" }), 204);

  const shown = (await allEvents(org.admin)).filter(({ id }) => [one, other].includes(id));
  expect(shown.map(({ actor, actorId }) => [actor, actorId])).toEqual([
    [null, null],
    [actor, actor.id],
  ]);
  const admin = await t.platformAdmin();
  const search = `search=${encodeURIComponent(gone.email)}`;
  for (const [caller, options] of [
    [org.admin, {}],
    [viewer, {}],
    [admin, { ...everywhere, ...actingIn(org) }],
  ] as const) {
    const found = await allEvents(caller, search, options);
    expect(found.map(({ action, actor }) => [action, actor])).toEqual([
      ["MEMBER_LEFT", actor],
      ["UNIT_UPDATED", actor],
    ]);
  }
  const everything = await allEvents(admin, search, everywhere);
  expect(everything.map(({ action, actor }) => [action, actor])).toContainEqual(["USER_DELETED", actor]);
  const { body } = await org.admin.get(`${EVENTS}/export?${search}`);
  expect(body.split(gone.email)).toHaveLength(3);
});

test("an organization's list has only its own events, not the platform's or those of other organizations", async () => {
  const [org, other] = [
    await createOrganizationBy(t, await t.registeredPerson()),
    await createOrganization(t),
  ];
  const admin = await t.platformAdmin();
  await org.admin.login();
  const actions = (await allEvents(org.admin)).map(({ action }) => action);
  expect(actions).toEqual(["ORGANIZATION_SWITCHED"]);
  for (const query of ["action=LOGIN_SUCCEEDED", `actorId=${idOf(other.admin)}`, `targetId=${other.id}`])
    expect((await eventPage(org.admin, query)).total).toBe(0);
  expect((await allEvents(admin, "", actingIn(org))).map(({ organizationId }) => organizationId)).toEqual([
    org.id,
  ]);
  const all = await allEvents(admin, `actorId=${idOf(org.admin)}`, everywhere);
  expect(all.map(({ action, organizationId }) => [action, organizationId])).toEqual([
    ["LOGIN_SUCCEEDED", null],
    ["ORGANIZATION_SWITCHED", org.id],
    ["ORGANIZATION_CREATED", null],
    ["LOGIN_SUCCEEDED", null],
    ["EMAIL_VERIFIED", null],
    ["USER_REGISTERED", null],
  ]);
});

test("`search` matches action, IP address, request id and the actor's email, literally and ignoring case, but not metadata", async () => {
  const org = await createOrganization(t);
  const mark = crypto.randomUUID().slice(0, 8);
  const person = await t.person({ email: `a_b%c.${mark}@example.com` });
  await org.add(person, { role: "MEMBER" });
  const gone = await t.person({ email: `gone.${mark}@example.com` });
  const [actorId, goneId] = [idOf(person), idOf(gone)];
  await deleteAccount(t, gone.email);
  const left = await t.person({ email: `left.${mark}@example.com` });
  await org.add(left, { role: "MEMBER" });
  expect((await org.admin.delete(`/api/members/${idOf(left)}`)).status).toBe(204);
  const seen = await storeEvents(t, org, {
    secret: { metadata: { email: `hidden-${mark}@example.com`, roles: ["HIDDEN_ROLE"] } },
    gone: { actorId: goneId },
    left: { actorId: idOf(left) },
    request: { requestId: `Req-${mark}.A_B` },
    ip: { ip: "2001:db8::ABCD" },
    email: { actorId },
    action: { action: "ROLE_CREATED" },
  });
  const cases: [string, string[]][] = [
    ["role_cr", ["action"]],
    ["ROLE_CREATED", ["action"]],
    ["role%", []],
    ["role%created", []],
    ["2001:DB8::ab", ["ip"]],
    [`req-${mark.toUpperCase()}.a_b`, ["request"]],
    [`${mark}.a.b`, []],
    [`A_B%C.${mark}`, ["email"]],
    [`_b%c.${mark}`, ["email"]],
    ["a%c", []],
    [`axb%c.${mark}`, []],
    [`.${mark}@EXAMPLE.com`, ["email", "left", "gone"]],
    [`gone.${mark}`, ["gone"]],
    [`left.${mark}`, ["left"]],
    [`hidden-${mark}`, []],
    ["HIDDEN_ROLE", []],
    ["\\", []],
    ["  role_created  ", ["action"]],
    ["ROLÉ_CREATED", ["action"]],
  ];
  const admin = await t.platformAdmin();
  for (const [search, names] of cases) {
    const query = `search=${encodeURIComponent(search)}`;
    expect([search, await seen(org.admin, query)]).toEqual([search, names]);
    expect([search, await seen(admin, query, { ...everywhere, ...actingIn(org) })]).toEqual([search, names]);
  }
  expect((await seen(org.admin, "search=")).length).toBe(7);
});

test("each filter returns only matching events, and several filters are combined with AND", async () => {
  const org = await createOrganization(t);
  const [one, other] = [await org.member(), await org.member()].map(idOf) as [string, string];
  const target = crypto.randomUUID();
  const seen = await storeEvents(t, org, {
    a: { action: "ROLE_CREATED", actorId: one, targetType: "role", targetId: target, ip: "1.1.1.1" },
    b: { action: "ROLE_CREATED", actorId: other, targetType: "role", ip: "1.1.1.1" },
    c: { action: "UNIT_CREATED", actorId: one, targetType: "unit", targetId: target },
    d: { action: "UNIT_CREATED", actorId: null },
  });
  const cases: [string, string][] = [
    ["action=ROLE_CREATED", "ba"],
    ["action=role_created", ""],
    ["action=ROLE_CREATE", ""],
    ["action=UNIT_CREATED", "dc"],
    [`actorId=${one}`, "ca"],
    [`actorId=${one.toUpperCase()}`, "ca"],
    ["targetType=role", "ba"],
    ["targetType=session", ""],
    [`targetId=${target}`, "ca"],
    [`targetId=${crypto.randomUUID()}`, ""],
    [`member=${one}`, "ca"],
    [`member=${one}&member=${other}`, "cba"],
    [`member[]=${other}`, "b"],
    [`member=${one}&actorId=${other}`, ""],
    [`action=ROLE_CREATED&actorId=${one}&targetType=role&targetId=${target}&search=1.1.1`, "a"],
    [`action=UNIT_CREATED&search=1.1.1`, ""],
  ];
  const admin = await t.platformAdmin();
  for (const [query, names] of cases) {
    expect([query, (await seen(org.admin, query)).join("")]).toEqual([query, names]);
    const options = { ...everywhere, ...actingIn(org) };
    expect([query, (await seen(admin, query, options)).join("")]).toEqual([query, names]);
  }
});

test("the unit filter returns events by current members of the units and their sub-units, and is combined with AND", async () => {
  const org = await createOrganization(t);
  const above = await org.unit("Above");
  const below = await org.unit("Below", above);
  const side = await org.unit("Side");
  const inAbove = await org.member({ role: "MEMBER", unit: above });
  const inBelow = await org.member({ role: "MEMBER", unit: below });
  const left = await org.member();
  await org.link(left, below);
  await org.admin.patch(`/api/members/${idOf(left)}/units`, { unitIds: [] });
  const seen = await storeEvents(t, org, {
    a: { actorId: idOf(inAbove) },
    b: { actorId: idOf(inBelow) },
    l: { actorId: idOf(left) },
    n: { actorId: null },
  });
  const cases: [string, string][] = [
    [`unit=${above}`, "ba"],
    [`unit=${below}`, "b"],
    [`unit=${side}`, ""],
    [`unit=${side}&unit=${below}`, "b"],
    [`unit=${crypto.randomUUID()}`, ""],
    [`unit=${above}&member=${idOf(inAbove)}&member=${idOf(left)}`, "a"],
  ];
  const admin = await t.platformAdmin();
  for (const [query, names] of cases) {
    expect([query, (await seen(org.admin, query)).join("")]).toEqual([query, names]);
    expect([query, (await seen(admin, query, everywhere)).join("")]).toEqual([query, names]);
  }
});
