import { expect, test } from "bun:test";
import { until } from "../../support/cluster.ts";
import {
  note,
  ORGANIZATION_TICKETS,
  OWN_TICKETS,
  PLATFORM_TICKETS,
  report,
  write,
} from "../../support/helpdesk.ts";
import { pngWith } from "../../support/images.ts";
import { assignments, createOrganization } from "../../support/organizations.ts";
import { actingIn, idOf } from "../../support/outcomes.ts";
import { exportOf } from "../../support/personal-data.ts";
import { expectStatus, sharedService, uniqueEmail } from "../../support/service.ts";
import { inAnotherBrowser } from "../../support/sessions.ts";
import { withTwoFactor } from "../../support/two-factor.ts";

const t = await sharedService();
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const data = async (...given: Parameters<typeof exportOf>) => {
  const response = await exportOf(...given);
  if (response.status !== 200) throw new Error(JSON.stringify(response.body));
  return response;
};

test("the data export is an attachment with Cache-Control no-store and has one file per kind of record", async () => {
  const person = await t.person();
  const { files, headers } = await data(person);
  expect(Object.keys(files)).toEqual([
    "profile",
    "sessions",
    "identities",
    "passkeys",
    "memberships",
    "invitations",
    "notifications",
    "audit-events",
    "tickets",
    "ticket-messages",
    "todos",
    "join-requests",
    "sso-identities",
    "connected-apps",
  ]);
  expect(headers.get("content-type")).toBe("application/zip");
  expect(headers.get("content-disposition")).toBe('attachment; filename="personal-data.zip"');
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(files.profile).toEqual({
    ...(await person.get("/api/profile")).body,
    formerEmails: [],
    hasPassword: true,
    twoFactor: { enabled: false, enabledAt: null, recoveryCodesLeft: 0, methods: [] },
  });
  expect(files.sessions).toEqual((await person.get("/api/profile/sessions")).body);
  expect(files.notifications).toEqual([
    { id: expect.any(String), type: "WELCOME", data: {}, readAt: null, createdAt: time },
  ]);
  for (const empty of [
    "identities",
    "passkeys",
    "memberships",
    "invitations",
    "join-requests",
    "tickets",
    "ticket-messages",
    "todos",
    "sso-identities",
    "connected-apps",
  ])
    expect([empty, files[empty]]).toEqual([empty, []]);
});

test("a data export writes a platform audit event, and contains it", async () => {
  const { admin } = await createOrganization(t);
  const exports = () =>
    t.sql(
      `SELECT target_type, target_id, organization_id, metadata FROM audit_events
       WHERE action = 'PERSONAL_DATA_EXPORTED' AND actor_id = $1`,
      [idOf(admin)],
    );
  expect((await exportOf(admin, { password: "not this one" })).status).toBe(400);
  expect(await exports()).toEqual([]);
  const { files } = await data(admin);
  expect(await exports()).toEqual([
    { target_type: "user", target_id: idOf(admin), organization_id: null, metadata: {} },
  ]);
  const actions = files["audit-events"].map(({ action }: { action: string }) => action);
  expect(actions).toContain("PERSONAL_DATA_EXPORTED");
});

test("all pages of a long list are exported, also if the last page has one row or is full", async () => {
  const person = await t.person();
  const count = async () =>
    (await t.sql<{ id: string }>("SELECT id FROM audit_events WHERE actor_id = $1", [idOf(person)])).length;
  // The export reads pages of 250 rows.
  for (const rows of [251, 500]) {
    await t.sql(
      `INSERT INTO audit_events (action, actor_id, time)
       SELECT 'LOGIN_SUCCEEDED', $1, now() - n / 3 * interval '1 second' FROM generate_series(1, $2::int) n`,
      // The count includes the audit event of the export itself.
      [idOf(person), rows - 1 - (await count())],
    );
    const { files } = await data(person);
    const ids = new Set(files["audit-events"].map(({ id }: { id: string }) => id));
    expect([files["audit-events"].length, ids.size]).toEqual([rows, rows]);
  }
});

test("exported memberships have roles and units, and former memberships are omitted", async () => {
  const [org, left] = [await createOrganization(t, "Stays"), await createOrganization(t, "Left behind")];
  const east = await org.unit("East");
  const person = await org.member({ role: "UNIT_ADMIN", unit: east }, { role: "MEMBER" });
  await left.add(person, { role: "MEMBER" });
  expectStatus(await left.admin.delete(`/api/members/${idOf(person)}`), 204);
  const { slug } = (await org.admin.get("/api/organization")).body;
  const { files, text } = await data(person);
  expect(files.memberships).toEqual([
    {
      organization: { id: org.id, name: "Stays", slug },
      joinedAt: time,
      assignments: [
        { role: { id: expect.any(String), name: "MEMBER" }, unit: null, source: "manual" },
        {
          role: { id: expect.any(String), name: "UNIT_ADMIN" },
          unit: { id: east, name: "East" },
          source: "manual",
        },
      ],
      units: [{ id: east, name: "East" }],
    },
  ]);
  expect(text).not.toContain("Left behind");
});

test("the data export includes open invitations to the user's email, without their token", async () => {
  const org = await createOrganization(t, "Inviting");
  const person = await t.person();
  const others = [`x${person.email}`, `${person.email}.example`, person.email.replace("-", "_")];
  for (const email of [person.email, ...others])
    expectStatus(
      await org.admin.post("/api/members/invitations", { email, ...assignments({ role: "MEMBER" }) }),
      201,
    );
  const { token } = await t.linkTo(person.email, "/accept-invitation");
  const { files, text } = await data(person);
  expect(files.invitations).toEqual([
    {
      id: expect.any(String),
      organization: { id: org.id, name: "Inviting" },
      language: "en",
      createdAt: time,
      lastSentAt: time,
      expiresAt: time,
    },
  ]);
  for (const secret of [token, "token", org.admin.email, ...others]) expect(text).not.toContain(secret);
  expectStatus(await person.post("/api/auth/accept-invitation", { token }), 204);
  expect((await data(person)).files.invitations).toEqual([]);
});

test("exported tickets contain only what their reporter may read: no internal notes, no staff names, no other users' tickets", async () => {
  const org = await createOrganization(t, "Desk");
  const person = await org.member();
  const admin = await t.platformAdmin();
  const ticket = await report(person, {}, [pngWith()]);
  await write(admin, PLATFORM_TICKETS, ticket.id, "We look into it.");
  await note(admin, PLATFORM_TICKETS, ticket.id, "A difficult customer");
  await note(org.admin, ORGANIZATION_TICKETS, ticket.id, "Do not pay them");
  await write(person, OWN_TICKETS, ticket.id, "Thank you.");
  const foreign = await report(await org.member(), { subject: "Somebody else's" });
  const deleted = await report(person, { subject: "Regretted" });
  expectStatus(await admin.delete(`${PLATFORM_TICKETS}/${deleted.id}`), 204);

  const { files, text } = await data(person);
  expect(files.tickets).toEqual([
    {
      id: ticket.id,
      number: ticket.number,
      subject: ticket.subject,
      category: "BUG",
      status: "IN_PROGRESS",
      organizationId: org.id,
      organizationName: "Desk",
      pagePath: null,
      browser: null,
      appVersion: null,
      createdAt: time,
      lastActivityAt: time,
    },
  ]);
  const [image] = ticket.messages[0]?.attachments ?? [];
  expect(files["ticket-messages"]).toEqual(
    [
      { body: "Since this morning.", asStaff: false, attachments: [image] },
      { body: "We look into it.", asStaff: true, attachments: [] },
      { body: "Thank you.", asStaff: false, attachments: [] },
    ].map((message) => ({
      id: expect.any(String),
      ticketId: ticket.id,
      clientName: null,
      createdAt: time,
      ...message,
    })),
  );
  for (const secret of ["difficult", "Do not pay", "Somebody else's", "Regretted", foreign.id, admin.email])
    expect(text).not.toContain(secret);
  // The export of staff does not contain their messages in other users' tickets.
  expect((await data(org.admin)).text).not.toContain("Do not pay");
});

test("all messages of a long ticket are exported", async () => {
  const person = await t.person();
  const { id } = await report(person);
  await t.sql(
    `INSERT INTO ticket_messages (ticket_id, author_id, body)
     SELECT $1, $2, 'message ' || n FROM generate_series(1, 999) n`,
    [id, idOf(person)],
  );
  const { files } = await data(person);
  const bodies = (files["ticket-messages"] as { body: string }[]).map(({ body }) => body);
  expect(bodies).toHaveLength(1_000);
  expect(new Set(bodies).size).toBe(1_000);
});

test("exported todos are those of the user's current organizations; for a platform administrator, all own todos", async () => {
  const [org, left] = [await createOrganization(t, "Here"), await createOrganization(t, "There")];
  const person = await org.member();
  const make = async (who: typeof person, title: string) =>
    expectStatus(await who.post("/api/todos", { title }), 201).body;
  const kept = await make(person, "Water the plants");
  const done = await make(person, "Regretted");
  expectStatus(await person.delete(`/api/todos/${done.id}`), 204);
  await make(await org.member(), "Somebody else's");
  await left.add(person, { role: "MEMBER" });
  expectStatus(await person.post("/api/auth/organization", { organizationId: left.id }), 200);
  await make(person, "Secret of There");
  expect((await data(person)).files.todos).toHaveLength(2);
  expectStatus(await left.admin.delete(`/api/members/${idOf(person)}`), 204);
  const { files, text } = await data(person);
  expect(files.todos).toEqual([kept]);
  expect(text).not.toContain("Secret of There");

  const admin = await t.platformAdmin();
  const own = expectStatus(await admin.post("/api/todos", { title: "Look around" }, actingIn(org)), 201).body;
  expect((await data(admin)).files.todos).toEqual([own]);
});

test("exported audit events are those of the user's own actions, and their metadata names no other user", async () => {
  const org = await createOrganization(t, "Audited");
  const guest = uniqueEmail();
  const sent = { email: guest, ...assignments({ role: "MEMBER" }) };
  expectStatus(await org.admin.post("/api/members/invitations", sent), 201);
  expectStatus(await org.admin.post("/api/units", { name: "Hidden unit", parentId: null }), 201);
  const other = await org.member({ role: "ORG_ADMIN" });
  expectStatus(await other.post("/api/units", { name: "Of another", parentId: null }), 201);
  const { person, recoveryCodes } = await withTwoFactor(t, org.admin);
  const { password } = person.account;
  const { files, text } = await data(person, { password, code: recoveryCodes[0] });

  type Row = { action: string; metadata: unknown; organizationId: string | null };
  const actions = files["audit-events"].map(({ action }: Row) => action);
  expect(actions).toContain("USER_INVITED");
  expect(actions.filter((action: string) => action === "UNIT_CREATED")).toHaveLength(1);
  const event = (action: string) => files["audit-events"].find((row: Row) => row.action === action);
  expect(event("USER_INVITED")).toEqual({
    id: expect.any(String),
    action: "USER_INVITED",
    targetType: "invitation",
    targetId: expect.any(String),
    organizationId: org.id,
    ip: expect.any(String),
    requestId: expect.any(String),
    time,
    metadata: null,
    clientId: null,
    clientName: null,
    grantId: null,
  });
  expect(event("TWO_FACTOR_ENABLED").metadata).toEqual({ via: "self" });
  for (const secret of [guest, "Hidden unit", "Of another", other.email]) expect(text).not.toContain(secret);
});

test("the data export contains no hash, key, cookie or data of other accounts", async () => {
  const person = await t.person();
  const { password } = person.account;
  const other = await inAnotherBrowser(person);
  const factor = await withTwoFactor(t, person);
  const stranger = await t.person();
  const { text } = await data(person, { password, code: factor.recoveryCodes[1] });
  const rows = await t.sql<{ secret: string }>(
    `SELECT password_hash AS secret FROM users WHERE id = $1
     UNION ALL SELECT token_hash FROM refresh_tokens WHERE user_id = $1
     UNION ALL SELECT sealed_secret FROM two_factor_secrets WHERE user_id = $1
     UNION ALL SELECT code_hash FROM two_factor_recovery_codes WHERE user_id = $1`,
    [idOf(person)],
  );
  expect(rows.length).toBeGreaterThan(12);
  const secrets = [...rows.map(({ secret }) => secret), ...factor.recoveryCodes, factor.secret, password];
  for (const secret of [...secrets, person.cookie, other.cookie, stranger.email, "argon2", "hash"])
    expect(text.includes(secret ?? "")).toBe(false);
});

test("exported audit events do not include actions of other users on the exported user", async () => {
  const org = await createOrganization(t);
  const person = await org.member();
  const roles = assignments({ role: "UNIT_ADMIN" });
  expectStatus(await org.admin.patch(`/api/members/${idOf(person)}/roles`, roles), 200);
  await person.login("not the password");
  const about = `SELECT action FROM audit_events
    WHERE target_id = $1 AND actor_id IS DISTINCT FROM target_id ORDER BY action`;
  const caused = "SELECT id FROM audit_events WHERE actor_id = $1 ORDER BY time, id";
  // Audit events of sign-ins are written after the response.
  await until(async () =>
    (await t.sql(about, [idOf(person)])).length === 2 && (await t.sql(caused, [idOf(person)])).length > 0
      ? true
      : null,
  );
  expect(await t.sql(about, [idOf(person)])).toEqual([
    { action: "LOGIN_FAILED" },
    { action: "MEMBER_ROLES_CHANGED" },
  ]);
  // The export itself writes an event.
  const { files } = await data(person);
  const ids = await t.sql<{ id: string }>(caused, [idOf(person)]);
  expect(files["audit-events"].map(({ id }: { id: string }) => id)).toEqual(ids.map(({ id }) => id));
});
