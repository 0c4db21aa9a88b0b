import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import {
  bodies,
  download,
  imageRows,
  note,
  ORGANIZATION_TICKETS,
  OWN_TICKETS,
  PLATFORM_TICKETS,
  page,
  read,
  report,
  reportBody,
  withImages,
  write,
} from "../../support/helpdesk.ts";
import {
  type HelpdeskWorld,
  helpdeskWorld,
  reported,
  setRoles,
  type View,
} from "../../support/helpdesk-world.ts";
import { pngWith } from "../../support/images.ts";
import { createOrganization } from "../../support/organizations.ts";
import { actingIn, idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();
const NOT_FOUND = "404 NOT_FOUND";

/** Reads, replies to and changes a ticket; returns the three outcomes. */
async function touch({ who, place, headers = {} }: View, id: string): Promise<string[]> {
  const changed =
    place === OWN_TICKETS
      ? await who.post(`${OWN_TICKETS}/${id}/close`)
      : await who.patch(`${place}/${id}`, { status: "IN_PROGRESS" }, { headers });
  return [
    await who.get(`${place}/${id}`, { headers }),
    await who.post(`${place}/${id}/messages`, { message: "Hello" }, { headers }),
    changed,
  ].map(outcome);
}
const GONE = [NOT_FOUND, NOT_FOUND, NOT_FOUND];
const allViews = (of: HelpdeskWorld, reporter: Caller): [string, View][] => [
  ["reporter", { who: reporter, place: OWN_TICKETS }],
  ...Object.entries(of.views),
];
/** The users and units that the tests share, unless a test changes them. */
const d = await helpdeskWorld(t);

test("a ticket is visible to its reporter and to staff whose reach includes the reporter", async () => {
  const { id, image, reporter } = await reported(d, [pngWith()]);
  const reaching = ["reporter", "organization", "parentAdmin", "unitAdmin", "platform", "platformThere"];
  for (const [name, view] of allViews(d, reporter)) {
    const { who, place, headers = {} } = view;
    const isReaching = reaching.includes(name);
    const got = await who.get(`${place}/${id}`, { headers });
    const { status } = await download(who, image);
    const listed = await page(who, place, "search=stays", { headers });
    expect([name, outcome(got), status]).toEqual([name, ...(isReaching ? ["200", 200] : [NOT_FOUND, 404])]);
    expect([name, listed.data.some((one) => one.id === id)]).toEqual([name, isReaching]);
    if (!isReaching) expect(await touch(view, id)).toEqual(GONE);
  }
});

test("unit staff see tickets of members of the unit and its sub-units, until the unit membership ends", async () => {
  const { org, unit, beside, views } = d;
  const { id, reporter } = await reported(d);
  const path = `/api/members/${idOf(reporter)}`;
  const sees = async (name: "unitAdmin" | "parentAdmin" | "besideAdmin") =>
    outcome(await views[name].who.get(`${ORGANIZATION_TICKETS}/${id}`));
  expect([await sees("unitAdmin"), await sees("besideAdmin")]).toEqual(["200", NOT_FOUND]);
  // A unit membership is sufficient, without a role in the unit.
  await org.link(reporter, beside);
  expect([await sees("unitAdmin"), await sees("besideAdmin")]).toEqual(["200", "200"]);
  await setRoles(d, reporter, { role: "MEMBER" });
  expectStatus(await org.admin.patch(`${path}/units`, { unitIds: [unit] }), 200);
  expect([await sees("unitAdmin"), await sees("besideAdmin")]).toEqual(["200", NOT_FOUND]);
  expectStatus(await org.admin.delete(path), 204);
  expect([await sees("unitAdmin"), await sees("parentAdmin")]).toEqual([NOT_FOUND, NOT_FOUND]);
  expect((await page(views.unitAdmin.who, ORGANIZATION_TICKETS, `member=${idOf(reporter)}`)).total).toBe(0);
  // Organization-wide staff still see the ticket.
  expect(outcome(await org.admin.get(`${ORGANIZATION_TICKETS}/${id}`))).toBe("200");
  expect(await read(reporter, OWN_TICKETS, id)).toMatchObject({ id });
});

test("each helpdesk route needs its own permission, and the reporter in that permission's reach", async () => {
  const { id } = await reported(d);
  const who = await d.org.member();
  const asks = {
    "Helpdesk.Read": () => who.get(ORGANIZATION_TICKETS),
    "Helpdesk.ReadOne": () => who.get(`${ORGANIZATION_TICKETS}/${id}`),
    "Helpdesk.Reply": () => who.post(`${ORGANIZATION_TICKETS}/${id}/messages`, { message: "Hello" }),
    "Helpdesk.UpdateStatus": () => who.patch(`${ORGANIZATION_TICKETS}/${id}`, { status: "OPEN" }),
  };
  for (const held of Object.keys(asks)) {
    const role = await d.org.role(`${held} ${id}`, held);
    for (const unit of [null, d.beside]) {
      await setRoles(d, who, { role, unit });
      for (const [name, ask] of Object.entries(asks)) {
        const there = name === "Helpdesk.Reply" ? 201 : 200;
        const inReach = unit === null || name === "Helpdesk.Read" ? there : 404;
        expect([held, unit, name, (await ask()).status]).toEqual([
          held,
          unit,
          name,
          name === held ? inReach : 403,
        ]);
      }
    }
  }
});

test("staff need only Helpdesk.Read with the reporter in reach to read images", async () => {
  const { image } = await reported(d, [pngWith()]);
  const without = await d.org.role("Without", "Helpdesk.ReadOne", "Helpdesk.Reply", "Helpdesk.UpdateStatus");
  const reader = await d.org.role("Reader", "Helpdesk.Read");
  const who = await d.org.member();
  const places = [
    [{ role: without }, 404],
    [{ role: reader, unit: d.beside }, 404],
    [{ role: reader, unit: d.unit }, 200],
    [{ role: reader }, 200],
  ] as const;
  for (const [given, status] of places) {
    await setRoles(d, who, given);
    expect((await download(who, image)).status).toBe(status);
  }
});

test("images are visible only to staff whose active organization has the ticket", async () => {
  const { image } = await reported(d, [pngWith()]);
  const other = await createOrganization(t);
  await d.org.add(other.admin, { role: "ORG_ADMIN" });
  await other.admin.refresh();
  expect((await download(other.admin, image)).status).toBe(404);
  expectStatus(await other.admin.post("/api/auth/organization", { organizationId: d.org.id }), 200);
  expect((await download(other.admin, image)).status).toBe(200);
});

test("an organization does not see its members' tickets of other organizations", async () => {
  const { stranger } = d;
  const unitThere = await stranger.unit("There");
  const { id, reporter } = await reported(d);
  await stranger.add(reporter, { role: "MEMBER", unit: unitThere });
  const alone = await t.person();
  const ofNone = await report(alone);
  await stranger.add(alone, { role: "MEMBER", unit: unitThere });
  const staff = await stranger.member({ role: "UNIT_ADMIN", unit: unitThere });
  for (const who of [stranger.admin, staff]) {
    expect(await touch({ who, place: ORGANIZATION_TICKETS }, id)).toEqual(GONE);
    expect(await touch({ who, place: ORGANIZATION_TICKETS }, ofNone.id)).toEqual(GONE);
    expect((await page(who, ORGANIZATION_TICKETS)).total).toBe(0);
  }
});

test("a platform administrator can access every ticket, or only those of the organization in X-Organization-Id", async () => {
  const { platform, org, stranger } = d;
  const { id } = await reported(d);
  expect(outcome(await platform.get(`${ORGANIZATION_TICKETS}/${id}`))).toBe("400 ORGANIZATION_REQUIRED");
  expect(outcome(await platform.get(`${ORGANIZATION_TICKETS}/${id}`, actingIn(stranger)))).toBe(NOT_FOUND);
  expect(
    outcome(await platform.get(`${ORGANIZATION_TICKETS}/${id}`, actingIn({ id: crypto.randomUUID() }))),
  ).toBe(NOT_FOUND);
  const response = await platform.post(
    `${ORGANIZATION_TICKETS}/${id}/messages`,
    { message: "Hello" },
    actingIn(org),
  );
  expect(expectStatus(response, 201).body).toMatchObject({
    asStaff: true,
    staffScope: "PLATFORM",
    author: { staffKind: "platform", organizationName: null },
  });
  // Routes that do not support the filter header ignore it.
  expect(outcome(await platform.get(`${PLATFORM_TICKETS}/${id}`, actingIn(stranger)))).toBe("200");
});

test("the author of a staff reply is shown with the organization's name, never with an email", async () => {
  const { id, reporter } = await reported(d);
  const { unitAdmin, organization, platform } = d.views;
  await write(unitAdmin.who, ORGANIZATION_TICKETS, id, "Hello");
  for (const { who, place } of [{ who: reporter, place: OWN_TICKETS }, organization, platform]) {
    const { body } = await who.get(`${place}/${id}`);
    expect(JSON.stringify(body)).not.toContain(unitAdmin.who.email);
    expect(body.messages[1]).toMatchObject({
      asStaff: true,
      staffScope: "ORGANIZATION",
      author: { id: idOf(unitAdmin.who), staffKind: "organization", organizationName: "Acme" },
    });
  }
});

test("staff who created a ticket are its reporter on the reporter routes and staff on the staff routes", async () => {
  const { admin } = d.org;
  const { id } = await report(admin);
  await note(admin, ORGANIZATION_TICKETS, id, "To myself");
  expect(bodies(await read(admin, OWN_TICKETS, id))).toEqual(["Since this morning."]);
  expect(bodies(await read(admin, ORGANIZATION_TICKETS, id))).toEqual(["Since this morning.", "To myself"]);
  await write(admin, OWN_TICKETS, id, "As a reporter");
  expect(await read(admin, ORGANIZATION_TICKETS, id)).toMatchObject({
    messages: [{}, {}, { asStaff: false, staffScope: null }],
  });
});

test("a deleted ticket and its images are 404 on all routes", async () => {
  const { id, image, reporter } = await reported(d, [pngWith()]);
  expect(outcome(await d.org.admin.delete(`${ORGANIZATION_TICKETS}/${id}`))).toBe(NOT_FOUND);
  expect(outcome(await d.org.admin.delete(`${PLATFORM_TICKETS}/${id}`))).toBe("403 PLATFORM_ADMIN_REQUIRED");
  expectStatus(await d.platform.delete(`${PLATFORM_TICKETS}/${id}`), 204);
  for (const [name, view] of allViews(d, reporter)) {
    const { who, place, headers = {} } = view;
    expect([name, ...(await touch(view, id))]).toEqual([name, ...GONE]);
    expect((await download(who, image)).status).toBe(404);
    const { data } = await page(who, place, "search=stays", { headers });
    expect(data.some((one) => one.id === id)).toBe(false);
  }
  expect(outcome(await d.platform.delete(`${PLATFORM_TICKETS}/${id}`))).toBe(NOT_FOUND);
});

/** Creates a separate organization with a unit, for tests that delete or suspend it. */
async function smallDesk() {
  const org = await createOrganization(t, "Acme");
  return { org, platform: d.platform, unit: await org.unit("Unit") };
}

test("a deleted organization's tickets stay visible to their reporters and to platform administrators", async () => {
  const small = await smallDesk();
  const { id, image, reporter } = await reported(small, [pngWith()]);
  expectStatus(await d.platform.delete(`/api/organizations/${small.org.id}`), 204);
  for (const [who, place] of [
    [reporter, OWN_TICKETS],
    [d.platform, PLATFORM_TICKETS],
  ] as const) {
    expect(await read(who, place, id)).toMatchObject({ organizationId: small.org.id });
    expect((await download(who, image)).status).toBe(200);
    await write(who, place, id, "Still there?");
  }
  expect(outcome(await d.platform.get(`${ORGANIZATION_TICKETS}/${id}`, actingIn(small.org)))).toBe(NOT_FOUND);
  expectStatus(await small.org.admin.login(), 200);
  expect(outcome(await small.org.admin.get(`${ORGANIZATION_TICKETS}/${id}`))).toBe(
    "403 ORGANIZATION_REQUIRED",
  );
});

test("platform administrators can access a suspended organization's tickets, also with X-Organization-Id", async () => {
  const { org, unit } = await smallDesk();
  const { id, reporter } = await reported({ org, unit });
  expectStatus(await d.platform.patch(`/api/organizations/${org.id}/status`, { status: "SUSPENDED" }), 200);
  expect(outcome(await d.platform.get(`${PLATFORM_TICKETS}/${id}`))).toBe("200");
  expect(outcome(await d.platform.get(`${ORGANIZATION_TICKETS}/${id}`, actingIn(org)))).toBe("200");
  expectStatus(await org.admin.login(), 200);
  expect(outcome(await org.admin.get(`${ORGANIZATION_TICKETS}/${id}`))).toBe("403 ORGANIZATION_REQUIRED");
  expectStatus(await reporter.login(), 200);
  expect(await read(reporter, OWN_TICKETS, id)).toMatchObject({ organizationId: org.id });
});

test("the `reporter` of a ticket is null after the account is deleted, and staff can still read and reply", async () => {
  const { id, image, reporter } = await reported(d, [pngWith()]);
  const helper = await d.org.member({ role: "UNIT_ADMIN", unit: d.unit });
  await write(helper, ORGANIZATION_TICKETS, id, "Hello");
  for (const person of [reporter, helper])
    expectStatus(await d.platform.delete(`/api/users/${idOf(person)}`), 204);
  for (const { who, place } of [d.views.organization, d.views.platform]) {
    const gone = { reporter: null, messageCount: 2, messages: [{ author: null }, { author: null }] };
    expect(await read(who, place, id)).toMatchObject(gone);
    expect((await page(who, place, `search=${encodeURIComponent(reporter.email)}`)).data).toEqual([]);
    expect((await download(who, image)).status).toBe(200);
  }
  for (const { who, place } of [d.views.organization, d.views.platform])
    await write(who, place, id, "Anybody?");
  expectStatus(await d.org.admin.patch(`${ORGANIZATION_TICKETS}/${id}`, { status: "CLOSED" }), 200);
  // Only the first reply writes an event.
  const mails = (await t.mailTo(reporter.email)).filter(({ subject }) => subject.includes("#"));
  expect(mails).toHaveLength(1);
});

test("a deleted user cannot create a ticket with an access token that has not expired", async () => {
  const who = await t.person();
  expectStatus(await d.platform.delete(`/api/users/${idOf(who)}`), 204);
  expect(outcome(await who.post(OWN_TICKETS, reportBody()))).toBe("401 UNAUTHENTICATED");
  const withImage = await who.post(OWN_TICKETS, undefined, withImages(reportBody() as never, [pngWith()]));
  expect(outcome(withImage)).toBe("401 UNAUTHENTICATED");
  expect(await imageRows(t, idOf(who))).toEqual([]);
});

test("a demoted platform administrator cannot reply with an access token that has not expired", async () => {
  const { id } = await reported(d);
  const former = await t.platformAdmin();
  await t.sql("UPDATE users SET is_platform_admin = false WHERE email = $1", [former.email]);
  const message = { message: "x" };
  const responses = [
    await former.post(`${PLATFORM_TICKETS}/${id}/messages`, message),
    await former.post(`${ORGANIZATION_TICKETS}/${id}/messages`, message, actingIn(d.org)),
    await former.patch(`${PLATFORM_TICKETS}/${id}`, { status: "CLOSED" }),
    await former.delete(`${PLATFORM_TICKETS}/${id}`),
  ];
  expect(responses.map(outcome)).toEqual(Array(4).fill("403 FORBIDDEN"));
});
