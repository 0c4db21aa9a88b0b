import { expect, test } from "bun:test";
import { Caller, claimsOf } from "../../support/caller.ts";
import {
  accept,
  acceptNew,
  invited,
  listed,
  NEW_ACCOUNT,
  previewInvitation,
  resend,
  settle,
  storeAccount,
  tokenFor,
} from "../../support/invitations.ts";
import { createOrganization, type Organization, roleId } from "../../support/organizations.ts";
import { actingIn, eventsIn, idOf, messages, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

/** Signs in the new account that was created by accepting an invitation. */
async function signedIn(email: string): Promise<Caller> {
  const person = new Caller(t.url, { email, password: NEW_ACCOUNT.password });
  expectStatus(await person.login(), 200);
  return person;
}
const notificationsOf = async (person: Caller) =>
  (await person.get("/api/notifications?order=asc")).body.data.map(
    ({ type, data }: { type: string; data: unknown }) => ({ type, data }),
  );
const memberOf = async (org: Organization, person: Caller) =>
  expectStatus(await org.admin.get(`/api/members/${idOf(person)}`), 200).body;

test("an invitation link shows email, organization and expiry, and can be opened repeatedly", async () => {
  const org = await createOrganization(t, "Fish & Chips");
  const { email, token } = await invited(t, org.admin);
  const [row] = (await listed(org.admin)).data;
  const shown = {
    email,
    expiresAt: row?.expiresAt,
    organization: { name: "Fish & Chips" },
    accountExists: false,
  };
  for (let look = 0; look < 3; look += 1) expect((await previewInvitation(t, token)).body).toEqual(shown);
  expectStatus(await acceptNew(t, token), 204);
});

test("an invitation link shows whether its address has an account, and is refused if that account is deleted", async () => {
  const org = await createOrganization(t);
  const exists = async (token: string) =>
    expectStatus(await previewInvitation(t, token), 200).body.accountExists;
  const [none, unverified, deleted] = [
    await invited(t, org.admin),
    await invited(t, org.admin),
    await invited(t, org.admin),
  ];
  const verified = await invited(t, org.admin, { email: (await t.person()).email });
  await storeAccount(t, unverified.email, { isVerified: false });
  await storeAccount(t, deleted.email, { isDeleted: true });
  expect(await exists(none.token)).toBe(false);
  expect(await exists(unverified.token)).toBe(true);
  expect(await exists(verified.token)).toBe(true);
  expect(outcome(await previewInvitation(t, deleted.token))).toBe("409 EMAIL_UNAVAILABLE");
  expect(outcome(await acceptNew(t, deleted.token))).toBe("409 EMAIL_UNAVAILABLE");
});

test("opening an invitation link without a token, or with several, is a validation error", async () => {
  for (const query of ["", "?token=", "?token=a&token=b", "?token=a&other=b"])
    expect(outcome(await t.anonymous().get(`/api/auth/invitation${query}`))).toBe("400 VALIDATION_FAILED");
});

test("accepting an invitation with a new account verifies its email, uses the invitation's language and adds the member, without a session", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Sales");
  const roles = [{ role: "MEMBER" }, { role: "UNIT_ADMIN", unit }];
  const { id, email, token } = await invited(t, org.admin, { roles, language: "el" });
  const response = expectStatus(await acceptNew(t, token), 204);
  expect([response.body, response.cookie]).toEqual(["", null]);

  const person = await signedIn(email);
  expect(claimsOf(person.accessToken ?? "")).toMatchObject({
    organization: { id: org.id },
    roles: ["MEMBER"],
  });
  const [user] = await t.sql(
    `SELECT first_name, last_name, language, email_verified_at IS NOT NULL AS verified, is_platform_admin
     FROM users WHERE email = $1`,
    [email],
  );
  const { firstName: first_name, lastName: last_name } = NEW_ACCOUNT;
  expect(user).toEqual({ first_name, last_name, language: "EL", verified: true, is_platform_admin: false });
  expect(await memberOf(org, person)).toMatchObject({
    email,
    assignments: [
      { role: { id: roleId("MEMBER"), name: "MEMBER" }, unit: null, source: "manual" },
      {
        role: { id: roleId("UNIT_ADMIN"), name: "UNIT_ADMIN" },
        unit: { id: unit, name: "Sales" },
        source: "manual",
      },
    ],
    units: [{ id: unit, name: "Sales" }],
  });
  const [invitation] = await t.sql(
    "SELECT accepted_user_id, accepted_at FROM user_invitations WHERE id = $1",
    [id],
  );
  expect(invitation).toEqual({ accepted_user_id: idOf(person), accepted_at: expect.any(Date) });
  expect((await t.mailTo(email)).length).toBe(1);
});

test("accepting an invitation notifies the new member and the inviter; the audit event's actor is the new member, and no registration is recorded", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Sales");
  const { id, email, token } = await invited(t, org.admin, {
    roles: [{ role: "MEMBER" }, { role: "MEMBER", unit }],
  });
  expectStatus(await acceptNew(t, token), 204);
  const person = await signedIn(email);
  const userId = idOf(person);
  expect(await notificationsOf(person)).toEqual([{ type: "WELCOME", data: {} }]);
  expect((await notificationsOf(org.admin)).at(-1)).toEqual({
    type: "INVITATION_ACCEPTED",
    data: { email, userId, organizationId: org.id },
  });
  const member = { roleId: roleId("MEMBER"), roleName: "MEMBER" };
  expect(await eventsIn(t, org, "USER_INVITATION_")).toEqual([
    {
      action: "USER_INVITATION_ACCEPTED",
      actor_id: userId,
      target_type: "user",
      target_id: userId,
      metadata: {
        invitationId: id,
        roles: ["MEMBER"],
        assignments: [
          { ...member, unitId: null, unitName: null },
          { ...member, unitId: unit, unitName: "Sales" },
        ],
      },
    },
  ]);
  const others = await t.sql<{ action: string }>(
    "SELECT action FROM audit_events WHERE target_id = $1 OR actor_id = $1 ORDER BY id",
    [userId],
  );
  expect(others.map(({ action }) => action)).toEqual(["USER_INVITATION_ACCEPTED", "LOGIN_SUCCEEDED"]);
});

test("after a resend, the acceptance notifies the user who resent the invitation, not the first inviter", async () => {
  const [org, admin] = [await createOrganization(t), await t.platformAdmin()];
  const invitation = await invited(t, org.admin);
  await settle(t, invitation);
  expectStatus(await resend(admin, invitation.id, actingIn(org)), 204);
  expectStatus(await acceptNew(t, await tokenFor(t, invitation.email)), 204);
  expect((await notificationsOf(admin)).at(-1)).toMatchObject({ type: "INVITATION_ACCEPTED" });
  expect(await notificationsOf(org.admin)).toEqual([{ type: "WELCOME", data: {} }]);
});

test("an acceptance with any field of a new account is validated as one for a new account", async () => {
  const org = await createOrganization(t);
  const person = await t.person();
  const { token } = await invited(t, org.admin, { email: person.email });
  const { password, firstName, lastName } = NEW_ACCOUNT;
  for (const [body, wrong] of [
    [{ token, password }, ["firstName is required", "lastName is required"]],
    [{ token, firstName, lastName }, ["password is required"]],
    [{ token, lastName }, ["firstName is required", "password is required"]],
    [{ token, password, firstName, lastName: " " }, ["lastName should not be empty"]],
    [{ token, language: "el" }, ["property language should not exist"]],
    [{ token, email: person.email }, ["property email should not exist"]],
    [{ password, firstName, lastName }, ["token is required"]],
    [{ token: "", ...NEW_ACCOUNT }, ["token should not be empty"]],
    [{ token: 7 }, ["token must be a string"]],
  ] as const)
    expect(messages(await accept(person, body)).toSorted()).toEqual([...wrong]);
  expectStatus(await accept(person, { token }), 204);
});

test("a rejected password keeps the invitation link valid", async () => {
  const org = await createOrganization(t);
  const { email, token } = await invited(t, org.admin);
  const body = { token, ...NEW_ACCOUNT };
  for (const [password, message] of [
    ["too short", "password must be longer than or equal to 10 characters"],
    ["1234567890", "password must not be a common password"],
    [email, "password must not be the email address"],
    [` ${email.toUpperCase()}`, "password must not be the email address"],
    ["x".repeat(201), "password must be shorter than or equal to 200 characters"],
  ]) {
    const refused = await accept(t.anonymous(), { ...body, password });
    expect(refused.body.errors).toEqual([{ path: "password", message }]);
    expectStatus(await previewInvitation(t, token), 200);
  }
  expectStatus(await accept(t.anonymous(), body), 204);
});

test("accepting with a new account ignores the headers Authorization and X-Organization-Id", async () => {
  const org = await createOrganization(t);
  const stranger = await t.person();
  for (const headers of [
    { authorization: "Bearer nonsense" },
    { authorization: `Bearer ${stranger.accessToken}` },
    { authorization: `Bearer ${stranger.accessToken}`, "x-organization-id": "x" },
  ]) {
    const { email, token } = await invited(t, org.admin);
    expectStatus(await accept(t.anonymous(), { token, ...NEW_ACCOUNT }, { headers }), 204);
    await signedIn(email);
  }
  const { body } = await org.admin.get(`/api/members?search=${stranger.email}`);
  expect(body.total).toBe(0);
});

test("accepting with a new account is 409 EMAIL_TAKEN if the address has an account by then, and the invitation stays valid", async () => {
  const org = await createOrganization(t);
  const { email, token } = await invited(t, org.admin);
  const person = await t.person({ email });
  expect(outcome(await acceptNew(t, token))).toBe("409 EMAIL_TAKEN");
  expect((await listed(org.admin)).data[0]).toMatchObject({ email, expired: false });
  expect(await eventsIn(t, org, "USER_INVITATION_")).toEqual([]);
  expectStatus(await accept(person, { token }), 204);
});

const suspend = async (org: Organization, status: "SUSPENDED" | "ACTIVE") =>
  expectStatus(await (await t.platformAdmin()).patch(`/api/organizations/${org.id}/status`, { status }), 200);

test("accepting with a new account is checked in this order: body, link, taken address, suspended organization", async () => {
  const org = await createOrganization(t);
  const [fresh, taken, deleted] = [
    await invited(t, org.admin),
    await invited(t, org.admin),
    await invited(t, org.admin),
  ];
  await storeAccount(t, taken.email);
  await storeAccount(t, deleted.email, { isDeleted: true });
  await suspend(org, "SUSPENDED");
  const ask = async (token: string, body = {}) =>
    outcome(await accept(t.anonymous(), { token, ...NEW_ACCOUNT, ...body }));
  expect(await ask("dead", { password: "short" })).toBe("400 VALIDATION_FAILED");
  expect(await ask(taken.token, { password: "short" })).toBe("400 VALIDATION_FAILED");
  expect(await ask("dead")).toBe("400 INVALID_OR_EXPIRED_TOKEN");
  expect(await ask(taken.token)).toBe("409 EMAIL_TAKEN");
  expect(await ask(deleted.token)).toBe("409 EMAIL_UNAVAILABLE");
  expect(await ask(fresh.token)).toBe("400 ORGANIZATION_SUSPENDED");
  expectStatus(await previewInvitation(t, fresh.token), 200);
  expect(await t.sql("SELECT FROM users WHERE email = $1", [fresh.email])).toEqual([]);
  await suspend(org, "ACTIVE");
  expect(await ask(fresh.token)).toBe("204");
});
