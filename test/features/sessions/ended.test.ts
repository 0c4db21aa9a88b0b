import { expect, test } from "bun:test";
import type { ApiResponse, Caller } from "../../support/caller.ts";
import { invited } from "../../support/invitations.ts";
import { holdOrganizationLock, holdUserLock } from "../../support/locks.ts";
import { assignments, createOrganization, userIdOf } from "../../support/organizations.ts";
import { outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService, uniqueEmail } from "../../support/service.ts";
import { inAnotherBrowser, sameBrowser } from "../../support/sessions.ts";

const t = await sharedService();

const ENDED = "401 UNAUTHENTICATED";
const invite = (who: Caller, email = uniqueEmail()) =>
  who.post("/api/members/invitations", { email, ...assignments({ role: "ORG_ADMIN" }) });
const password = { currentPassword: "wide blue yonder", newPassword: "a longer blue yonder" };

test("after a password change ended its session, an access token still allows reads, but no invitations", async () => {
  const { admin } = await createOrganization(t);
  const owner = await inAnotherBrowser(admin);
  const email = uniqueEmail();
  expectStatus(await owner.post("/api/profile/password", password), 204);
  expect(outcome(await invite(admin, email))).toBe(ENDED);
  expect(await t.sql("SELECT FROM user_invitations WHERE email = $1", [email])).toEqual([]);
  expectStatus(await admin.get("/api/members"), 200);
  expectStatus(await admin.post("/api/todos", { title: "Read a book" }), 201);
});

test("an access token allows writes after its session was refreshed or switched, but not after a sign-out", async () => {
  const org = await createOrganization(t);
  const before = sameBrowser(org.admin);
  expectStatus(await org.admin.refresh(), 200);
  expectStatus(await org.admin.post("/api/auth/organization", { organizationId: org.id }), 200);
  expect(outcome(await invite(before))).toBe("201");
  expectStatus(await org.admin.post("/api/auth/logout"), 204);
  expect(outcome(await invite(before))).toBe(ENDED);
  expect(outcome(await before.post("/api/organization/leave"))).toBe(ENDED);
});

test("an access token with another user's session id allows no writes", async () => {
  const { admin } = await createOrganization(t);
  const other = await t.person();
  await t.sql("UPDATE refresh_tokens SET user_id = $1 WHERE user_id = $2", [
    await userIdOf(t, other),
    await userIdOf(t, admin),
  ]);
  expect(outcome(await invite(admin))).toBe(ENDED);
});

test("a write is refused if its session ends while it waits for the organization's lock", async () => {
  const org = await createOrganization(t);
  const email = uniqueEmail();
  const writes: ((who: Caller) => Promise<ApiResponse>)[] = [
    (who) => invite(who, email),
    (who) => who.post("/api/roles", { name: "New", permissions: [] }),
    (who) => who.patch("/api/organization", { name: "New" }),
  ];
  for (const write of writes) {
    const held = await inAnotherBrowser(org.admin);
    const lock = await holdOrganizationLock(t, org.id);
    const waiting = write(held);
    await lock.waiting(1);
    expectStatus(await org.admin.delete("/api/profile/sessions"), 204);
    await lock.release();
    expect(outcome(await waiting)).toBe(ENDED);
  }
  expect(await t.sql("SELECT FROM user_invitations WHERE email = $1", [email])).toEqual([]);
  expect(await t.sql("SELECT FROM roles WHERE organization_id = $1", [org.id])).toEqual([]);
  expect(await t.sql("SELECT name FROM organizations WHERE id = $1", [org.id])).toEqual([{ name: "Acme" }]);
});

test("a change of the account is refused if its session ends while it waits for the user's lock", async () => {
  const owner = await t.person();
  const writes: ((who: Caller) => Promise<ApiResponse>)[] = [
    (who) => who.post("/api/auth/organizations", { name: "New" }),
    (who) => who.delete("/api/profile/sessions"),
    (who) => who.post("/api/profile/2fa/setup", { password: "wide blue yonder" }),
    (who) => who.post("/api/profile/password", password),
  ];
  for (const write of writes) {
    const held = await inAnotherBrowser(owner);
    const lock = await holdUserLock(t, owner.email);
    const ending = owner.delete("/api/profile/sessions");
    await lock.waiting(1);
    const waiting = write(held);
    await lock.waiting(2);
    await lock.release();
    expectStatus(await ending, 204);
    expect(outcome(await waiting)).toBe(ENDED);
  }
  expectStatus(await owner.refresh(), 200);
  expectStatus(await owner.login(), 200);
  expect((await owner.get("/api/auth/organizations")).body).toEqual([]);
});

test("with the access token of an ended session, a right and a wrong password get the same response", async () => {
  const person = await t.person();
  const held = sameBrowser(person);
  expectStatus(await person.post("/api/auth/logout"), 204);
  for (const password of ["wide blue yonder", "not this one"]) {
    expect(outcome(await held.post("/api/profile/reauthenticate", { password }))).toBe(ENDED);
    expect(outcome(await held.post("/api/profile/delete", { password }))).toBe(ENDED);
  }
  expect(await t.sql("SELECT FROM failed_attempts WHERE user_id = $1", [await userIdOf(t, person)])).toEqual(
    [],
  );
});

test("the access token of an ended session can accept an invitation, because the link's token is the authorization", async () => {
  const org = await createOrganization(t);
  const person = await t.person();
  const held = sameBrowser(person);
  const { token } = await invited(t, org.admin, { email: person.email });
  expectStatus(await person.post("/api/auth/logout"), 204);
  expectStatus(await held.post("/api/auth/accept-invitation", { token }), 204);
});
