import { expect, test } from "bun:test";
import type { ApiResponse, Caller } from "../../support/caller.ts";
import { claimsOf } from "../../support/caller.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { inAnotherBrowser, sameBrowser, tokenRows } from "../../support/sessions.ts";

const t = await startService();

/** Refreshes a session; returns a browser that still has the replaced cookie. */
async function replaced(person: Caller) {
  const stale = sameBrowser(person);
  expectStatus(await person.refresh(), 200);
  return stale;
}

const THEFT_SUBJECT = "All your sessions were ended";

async function expectTheft(person: Caller, response: ApiResponse) {
  expect([response.status, response.body.code, response.cookie]).toEqual([401, "INVALID_REFRESH_TOKEN", ""]);
  expect(await tokenRows(t, person.email)).toEqual([]);
  const events = await t.sql(
    `SELECT actor_id, target_type, target_id = u.id AS is_target, organization_id, metadata
     FROM audit_events a JOIN users u ON u.id = a.target_id WHERE action = 'REFRESH_TOKEN_REUSED' AND u.email = $1`,
    [person.email],
  );
  expect(events).toEqual([
    {
      actor_id: null,
      target_type: "user",
      is_target: true,
      organization_id: null,
      metadata: { sessionId: expect.any(String) },
    },
  ]);
  const mails = (await t.mailTo(person.email)).filter((mail) => mail.subject === THEFT_SUBJECT);
  expect(mails).toHaveLength(1);
}

async function expectNoTheft(person: Caller) {
  const mails = await t.mailTo(person.email);
  expect(mails.filter((mail) => mail.subject === THEFT_SUBJECT)).toEqual([]);
}

test("within 30 seconds, a replaced refresh cookie gets a new access token of the session and no Set-Cookie", async () => {
  const person = await t.person();
  const stale = await replaced(person);
  const rows = await tokenRows(t, person.email);

  for (let times = 0; times < 3; times += 1) {
    // However long the test has taken until now does not count.
    await t.sql("UPDATE refresh_tokens SET created_at = now() - interval '22 seconds' WHERE id = $1", [
      rows[1]?.id,
    ]);
    const response = expectStatus(await stale.refresh(), 200);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(claimsOf(response.body.accessToken).sid).toBe(rows[1]?.session_id);
    expectStatus(await stale.get("/api/profile"), 200);
  }
  const after = await tokenRows(t, person.email);
  expect(after.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
  expect(after.map(({ revoked_at }) => revoked_at === null)).toEqual([false, true]);
  expectStatus(await person.refresh(), 200);
  await expectNoTheft(person);
});

test("after 30 seconds, a replaced refresh cookie is token reuse: all sessions end, with an audit event and a mail", async () => {
  const person = await t.person();
  const other = await inAnotherBrowser(person);
  const stale = await replaced(person);
  await t.age("refresh_tokens", { id: (await tokenRows(t, person.email)).at(-1)?.id }, { seconds: 31 });
  await expectTheft(person, await stale.refresh());

  for (const caller of [person, other]) {
    const response = await caller.refresh();
    expect([response.status, response.cookie]).toEqual([401, ""]);
  }
});

test("a replaced refresh cookie is token reuse once its successor was replaced too", async () => {
  const person = await t.person();
  const stale = await replaced(person);
  expectStatus(await person.refresh(), 200);
  await expectTheft(person, await stale.refresh());
});

test("a refresh with a signed-out cookie is token reuse, without a grace period", async () => {
  const person = await t.person();
  const stale = sameBrowser(person);
  expectStatus(await person.post("/api/auth/logout"), 204);
  await expectTheft(person, await stale.refresh());
});

test("a replaced refresh cookie is token reuse if its successor is signed out", async () => {
  const person = await t.person();
  const stale = await replaced(person);
  expectStatus(await person.post("/api/auth/logout"), 204);
  await expectTheft(person, await stale.refresh());
});

test("a replaced refresh cookie is token reuse if its successor has expired", async () => {
  const person = await t.person();
  const stale = await replaced(person);
  await t.sql(
    `UPDATE refresh_tokens SET expires_at = now() WHERE revoked_at IS NULL
     AND user_id = (SELECT id FROM users WHERE email = $1)`,
    [person.email],
  );
  await expectTheft(person, await stale.refresh());
});

test("a replaced refresh cookie is token reuse if its successor is deleted", async () => {
  const person = await t.person();
  const stale = await replaced(person);
  await t.sql(
    `DELETE FROM refresh_tokens WHERE revoked_at IS NULL AND user_id = (SELECT id FROM users WHERE email = $1)`,
    [person.email],
  );
  await expectTheft(person, await stale.refresh());
});

test("a refresh cookie whose rows are deleted is 401 without counting as token reuse", async () => {
  const person = await t.person();
  const stale = await replaced(person);
  await t.sql("DELETE FROM refresh_tokens WHERE user_id = (SELECT id FROM users WHERE email = $1)", [
    person.email,
  ]);
  const other = await inAnotherBrowser(person);
  for (const caller of [stale, person]) {
    const response = await caller.refresh();
    expect([response.status, response.body.code, response.cookie]).toEqual([
      401,
      "INVALID_REFRESH_TOKEN",
      "",
    ]);
  }
  expectStatus(await other.refresh(), 200);
  await expectNoTheft(person);
});

test("token reuse ends only the sessions of that account", async () => {
  const person = await t.person();
  const bystander = await t.person();
  const stale = await replaced(person);
  expectStatus(await person.refresh(), 200);
  await expectTheft(person, await stale.refresh());
  expectStatus(await bystander.refresh(), 200);
});
