import { expect, test } from "bun:test";
import {
  acceptNew,
  expire,
  INVITATIONS,
  invite,
  invited,
  listed,
  previewInvitation,
  storeAccount,
} from "../../support/invitations.ts";
import { assignments, createOrganization, roleId } from "../../support/organizations.ts";
import { eventsIn, idOf, messages, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService, uniqueEmail } from "../../support/service.ts";

const t = await sharedService();

const DAY_MS = 24 * 3600 * 1000;
const dead = "400 INVALID_OR_EXPIRED_TOKEN";

test("an invitation is valid for seven days, and is returned as it is listed", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Sales");
  const clerk = await org.role("Clerk", "Units.Read");
  const email = uniqueEmail();
  const roles = [{ role: clerk, unit }, { role: "MEMBER" }];
  const { body } = expectStatus(await invite(org.admin, { email, roles, language: "el" }), 201);

  expect(body).toEqual({
    id: expect.any(String),
    organizationId: org.id,
    email,
    language: "el",
    assignments: [
      { role: { id: roleId("MEMBER"), name: "MEMBER" }, unit: null, source: "manual" },
      { role: { id: clerk, name: "Clerk" }, unit: { id: unit, name: "Sales" }, source: "manual" },
    ],
    invitedBy: { id: idOf(org.admin), email: org.admin.email },
    invitedByServiceAccount: null,
    expiresAt: expect.any(String),
    lastSentAt: body.createdAt,
    createdAt: expect.any(String),
    expired: false,
  });
  expect(Date.parse(body.expiresAt) - Date.parse(body.lastSentAt)).toBe(7 * DAY_MS);
  expect(await listed(org.admin)).toEqual({ data: [body], total: 1, page: 1, pageSize: 20 });
});

test("the audit event of an invitation contains the names of roles and units, but not the link", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Sales");
  const clerk = await org.role("Clerk", "Units.Read");
  const roles = [{ role: clerk }, { role: clerk, unit }, { role: "MEMBER" }];
  const { id, email } = await invited(t, org.admin, { roles });
  const [event, ...more] = await eventsIn(t, org, "USER_INVIT");
  expect(more).toEqual([]);
  expect(event).toEqual({
    action: "USER_INVITED",
    actor_id: idOf(org.admin),
    target_type: "invitation",
    target_id: id,
    metadata: {
      email,
      roles: expect.arrayContaining(["Clerk", "MEMBER"]),
      assignments: expect.arrayContaining([
        { roleId: clerk, roleName: "Clerk", unitId: null, unitName: null },
        { roleId: clerk, roleName: "Clerk", unitId: unit, unitName: "Sales" },
        { roleId: roleId("MEMBER"), roleName: "MEMBER", unitId: null, unitName: null },
      ]),
      language: "en",
      supersededId: null,
    },
  });
  expect(event?.metadata.roles).toHaveLength(2);
  expect(event?.metadata.assignments).toHaveLength(3);
});

test("the mail of an invitation has one link to APP_URL, and is in the invitation's language or else in the inviter's", async () => {
  const name = `Fish & <b>Chips</b> "O'Hara"`;
  const org = await createOrganization(t, name);
  const greek = await t.person({ language: "el" });
  await org.add(greek, { role: "ORG_ADMIN" });
  await greek.refresh();
  for (const [inviter, asked, language] of [
    [org.admin, undefined, "en"],
    [greek, undefined, "el"],
    [org.admin, "el", "el"],
    [greek, "en", "en"],
  ] as const) {
    const { body } = await invite(inviter, asked === undefined ? {} : { language: asked });
    expect(body.language).toBe(language);
    const [mail, ...more] = await t.mailTo(body.email);
    expect(more).toEqual([]);
    expect(mail?.subject).toBe(
      language === "en" ? `You are invited to ${name}` : `Πρόσκληση στον οργανισμό ${name}`,
    );
    expect(mail?.links).toHaveLength(1);
    expect(mail?.links[0]).toMatch(/^http:\/\/app\.test\/accept-invitation\?token=[A-Za-z0-9_-]{43}$/);
    expect(mail?.text).toContain(name);
    expect(mail?.html).toContain(`<html lang="${language}">`);
    expect(mail?.html).toContain(`href="${mail?.links[0]}"`);
    expect(mail?.html).toContain("Fish &amp; &lt;b&gt;Chips&lt;/b&gt;");
    expect(mail?.html).not.toContain("<b>");
  }
});

test("an invitation without a language uses the inviter's currently stored language", async () => {
  const org = await createOrganization(t);
  await t.sql("UPDATE users SET language = 'EL' WHERE id = $1", [idOf(org.admin)]);
  expect((await invite(org.admin)).body.language).toBe("el");
});

test("an invited address is trimmed and lower-cased, and duplicate roles are assigned once", async () => {
  const org = await createOrganization(t);
  const email = uniqueEmail();
  const roles = [{ role: "MEMBER" }, { role: "MEMBER" }];
  const { body } = expectStatus(await invite(org.admin, { email: `  ${email.toUpperCase()} `, roles }), 201);
  expect(body.email).toBe(email);
  expect(body.assignments).toHaveLength(1);
  expect(await t.mailTo(email)).toHaveLength(1);
});

test("all validation errors of an invitation are returned at once, and no mail is sent", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const elsewhere = { role: await other.role("Theirs"), unit: await other.unit("Theirs") };
  const post = (body: unknown) => org.admin.post(INVITATIONS, body);
  const wrong = await post({
    email: "nobody",
    assignments: [{ roleId: "x", unitId: null, extra: 1 }],
    language: "fr",
    token: "mine",
  });
  expect(outcome(wrong)).toBe("400 VALIDATION_FAILED");
  expect(messages(wrong).toSorted()).toEqual([
    "assignments.0.roleId must be a UUID",
    "email must be an email",
    "language must be one of the following values: el, en",
    "property extra should not exist",
    "property token should not exist",
  ]);
  expect(messages(await post({})).toSorted()).toEqual(["assignments is required", "email is required"]);

  const email = uniqueEmail();
  const given = assignments({ role: "MEMBER" }, elsewhere, { role: crypto.randomUUID() });
  expect(messages(await post({ email, ...given }))).toEqual([
    "assignments.1.roleId must be an existing role",
    "assignments.1.unitId must be an existing unit",
    "assignments.2.roleId must be an existing role",
  ]);
  const many = Array.from({ length: 51 }, () => ({ role: "MEMBER", unit: crypto.randomUUID() }));
  expect(outcome(await invite(org.admin, { email, roles: many }))).toBe("400 VALIDATION_FAILED");
  expect(await t.mailTo(email)).toEqual([]);
  expect((await listed(org.admin)).total).toBe(0);
  expect(await eventsIn(t, org, "USER_INVIT")).toEqual([]);
});

test("an invitation without roles is 400", async () => {
  const org = await createOrganization(t);
  const refused = await invite(org.admin, { roles: [] });
  expect(messages(refused)).toEqual(["assignments should not be empty"]);
});

test("the response to an invitation does not show whether the address has an account", async () => {
  const org = await createOrganization(t);
  const other = await createOrganization(t);
  const [stranger, unverified, gone, past] = [
    uniqueEmail(),
    uniqueEmail(),
    uniqueEmail(),
    await org.member(),
  ];
  await storeAccount(t, unverified, { isVerified: false });
  await storeAccount(t, gone, { isDeleted: true });
  expectStatus(await past.post("/api/organization/leave"), 204);
  const platform = await t.platformAdmin();

  const emails = [stranger, unverified, gone, past.email, other.admin.email, platform.email];
  const seen = [];
  for (const email of emails) {
    const response = expectStatus(await invite(org.admin, { email }), 201);
    const [row] = (await listed(org.admin, `search=${email}`)).data;
    const { subject, text } = (await t.mailTo(email)).at(-1) ?? { subject: "", text: "" };
    seen.push(
      JSON.stringify([response.body, row, subject, text])
        .replaceAll(email, "EMAIL")
        .replaceAll(response.body.id, "ID")
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
        .replaceAll(/token=[\w-]{43}/g, "TOKEN"),
    );
  }
  expect([...new Set(seen)]).toHaveLength(1);
  const events = await eventsIn(t, org, "USER_INVITED");
  const told = events.map(({ metadata }) => JSON.stringify({ ...metadata, email: "EMAIL" }));
  expect([...new Set(told)]).toHaveLength(1);
});

test("a second invitation of an address to one organization supersedes the first and invalidates its link", async () => {
  const org = await createOrganization(t);
  const first = await invited(t, org.admin);
  const { email } = first;
  const second = await invited(t, org.admin, { email: email.toUpperCase(), roles: [{ role: "UNIT_ADMIN" }] });
  expect(outcome(await previewInvitation(t, first.token))).toBe(dead);
  expect(outcome(await acceptNew(t, first.token))).toBe(dead);
  expectStatus(await previewInvitation(t, second.token), 200);

  await expire(t, second);
  const third = await invited(t, org.admin, { email });
  expect((await listed(org.admin)).data.map(({ id }) => id)).toEqual([third.id]);
  const events = await eventsIn(t, org, "USER_INVIT");
  expect(events.map(({ action, metadata }) => [action, metadata.supersededId])).toEqual([
    ["USER_INVITED", null],
    ["USER_INVITED", first.id],
    ["USER_INVITED", second.id],
  ]);
  expectStatus(await acceptNew(t, third.token), 204);
});

test("a new invitation does not supersede a revoked one", async () => {
  const org = await createOrganization(t);
  const { id, email } = await invited(t, org.admin);
  expectStatus(await org.admin.delete(`${INVITATIONS}/${id}`), 204);
  expectStatus(await invite(org.admin, { email }), 201);
  expect((await eventsIn(t, org, "USER_INVITED")).at(-1)?.metadata.supersededId).toBeNull();
});

test("invitations of one address to several organizations are independent", async () => {
  const [one, two] = [await createOrganization(t, "One"), await createOrganization(t, "Two")];
  const first = await invited(t, one.admin);
  const second = await invited(t, two.admin, { email: first.email });
  for (const [{ token }, name] of [
    [first, "One"],
    [second, "Two"],
  ] as const)
    expect((await previewInvitation(t, token)).body.organization).toEqual({ name });
  expect((await eventsIn(t, two, "USER_INVITED"))[0]?.metadata.supersededId).toBeNull();
  expectStatus(await acceptNew(t, second.token), 204);
  expect((await listed(one.admin)).data[0]).toMatchObject({ id: first.id, expired: false });
});

test("a current member cannot be invited, nor be resent an invitation; a former member can", async () => {
  const org = await createOrganization(t);
  const person = await org.member();
  const again = () => invite(org.admin, { email: person.email.toUpperCase() });
  expect(outcome(await again())).toBe("409 ALREADY_MEMBER");
  expect(outcome(await invite(org.admin, { email: org.admin.email }))).toBe("409 ALREADY_MEMBER");
  expect(await eventsIn(t, org, "USER_INVITED")).toEqual([]);

  expectStatus(await person.post("/api/organization/leave"), 204);
  const { id } = expectStatus(await again(), 201).body;
  await org.add(person, { role: "MEMBER" });
  await t.age("user_invitations", { id }, { seconds: 61 });
  expect(outcome(await org.admin.post(`${INVITATIONS}/${id}/resend`))).toBe("409 ALREADY_MEMBER");
  expect((await listed(org.admin)).data.map((row) => row.id)).toEqual([id]);
});
