import { expect, test } from "bun:test";
import { claimsOf } from "../../support/caller.ts";
import { idOf } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";
import { inAnotherBrowser, liveRows, sameBrowser, tokenRows } from "../../support/sessions.ts";

const t = await sharedService();

const liveSessions = async (email: string) => (await liveRows(t, email)).map((row) => row.session_id).sort();
const sessionOf = (caller: { accessToken: string | null }) => claimsOf(caller.accessToken ?? "").sid;

test("logout revokes the refresh token of the cookie, clears the cookie and keeps other sessions", async () => {
  const person = await t.person();
  const other = await inAnotherBrowser(person);
  const response = expectStatus(await person.post("/api/auth/logout"), 204);
  expect(response.headers.get("set-cookie")).toBe(
    "refresh_token=; Path=/api/auth; Max-Age=0; HttpOnly; SameSite=Lax",
  );
  const [row] = await tokenRows(t, person.email);
  expect(row?.revoked_at).not.toBeNull();
  expect(row?.replaced_by_id).toBeNull();
  expectStatus(await other.refresh(), 200);
  // Reads accept the access token until it expires.
  expectStatus(await person.get("/api/profile"), 200);
  expectStatus(await person.post("/api/auth/logout"), 204);
});

test("logout without a valid access token is 401 and keeps cookie and session", async () => {
  const person = await t.person();
  for (const authorization of ["", "Bearer x", "Basic eA=="]) {
    const caller = sameBrowser(person);
    caller.accessToken = null;
    const response = await caller.post("/api/auth/logout", undefined, { headers: { authorization } });
    expect([response.status, response.body.code, response.cookie]).toEqual([401, "UNAUTHENTICATED", null]);
  }
  expectStatus(await person.refresh(), 200);
});

test("logout without a cookie ends the session of the access token", async () => {
  const person = await t.person();
  const other = await inAnotherBrowser(person);
  person.cookie = null;
  expect(expectStatus(await person.post("/api/auth/logout"), 204).cookie).toBe("");
  expect(await liveSessions(person.email)).toEqual([sessionOf(other)]);
});

test("logout with another user's cookie ends the caller's session, not the other user's", async () => {
  const person = await t.person();
  const victim = await t.person();
  person.cookie = victim.cookie;
  expect(expectStatus(await person.post("/api/auth/logout"), 204).cookie).toBe("");
  expect(await liveSessions(person.email)).toEqual([]);
  expectStatus(await victim.refresh(), 200);
});

test("logout with the cookie of another session of the same user ends that session", async () => {
  const person = await t.person();
  const other = await inAnotherBrowser(person);
  const mixed = sameBrowser(person);
  mixed.cookie = other.cookie;
  expectStatus(await mixed.post("/api/auth/logout"), 204);
  expect(await liveSessions(person.email)).toEqual([sessionOf(person)]);
});

test("logout with a cookie that was just replaced ends its session and is not treated as token reuse", async () => {
  const person = await t.person();
  const other = await inAnotherBrowser(person);
  const stale = sameBrowser(person);
  expectStatus(await person.refresh(), 200);
  expect(expectStatus(await stale.post("/api/auth/logout"), 204).cookie).toBe("");
  expect(await liveSessions(person.email)).toEqual([sessionOf(other)]);
});

test("logout with a logged-out, an expired or an unknown cookie ends the session of the access token", async () => {
  const person = await t.person();
  const loggedOut = await inAnotherBrowser(person);
  const loggedOutCookie = loggedOut.cookie;
  expectStatus(await loggedOut.post("/api/auth/logout"), 204);
  const expired = await inAnotherBrowser(person);
  await t.age("refresh_tokens", { session_id: sessionOf(expired) }, { days: 8 });

  for (const cookie of [loggedOutCookie, expired.cookie, "unknown"]) {
    const caller = await inAnotherBrowser(person);
    caller.cookie = cookie;
    expect(expectStatus(await caller.post("/api/auth/logout"), 204).cookie).toBe("");
    expect(await liveSessions(person.email)).toEqual([sessionOf(person)]);
  }
});

test("signing in ends the session of the browser's previous cookie, of the same or another user", async () => {
  const person = await t.person();
  const before = sessionOf(person);
  const other = await inAnotherBrowser(person);
  expectStatus(await person.login(), 200);
  expect(await liveSessions(person.email)).toEqual([sessionOf(person), sessionOf(other)].sort());
  expect(sessionOf(person)).not.toBe(before);

  const neighbour = await t.person();
  const neighbourElsewhere = await inAnotherBrowser(neighbour);
  const stale = sameBrowser(neighbour);
  neighbour.account.email = person.email;
  expectStatus(await neighbour.login(), 200);
  expect(await liveSessions(neighbourElsewhere.email)).toEqual(await liveSessions(person.email));
  expect((await stale.refresh()).body.code).toBe("INVALID_REFRESH_TOKEN");
});

test("a failed sign-in keeps the browser's session", async () => {
  const person = await t.person();
  expect((await person.login("the password alone does not get past the second factor")).cookie).toBeNull();
  expectStatus(await person.refresh(), 200);
});

test("a sign-in with an invalid refresh cookie ends no session and is not treated as token reuse", async () => {
  const person = await t.person();
  const stale = sameBrowser(person);
  expectStatus(await person.refresh(), 200);
  expectStatus(await person.refresh(), 200);
  expectStatus(await stale.login(), 200);
  expect(await liveSessions(person.email)).toEqual([sessionOf(person), sessionOf(stale)].sort());
});

test("a sign-in deletes the expired refresh tokens of that user only", async () => {
  const person = await t.person();
  const bystander = await t.person();
  for (const { email } of [person, bystander]) {
    await t.sql(
      `UPDATE refresh_tokens SET expires_at = now() - interval '1 second'
       WHERE user_id = (SELECT id FROM users WHERE email = $1)`,
      [email],
    );
  }
  await inAnotherBrowser(person);
  expect(await tokenRows(t, person.email)).toHaveLength(1);
  expect(await tokenRows(t, bystander.email)).toHaveLength(1);
  expect(await liveRows(t, bystander.email)).toEqual([]);
});

test("the eleventh session of a user ends the least recently used one; its cookies are 401 without counting as token reuse", async () => {
  const first = await t.person();
  const others = [];
  for (let count = 1; count < 10; count += 1) others.push(await inAnotherBrowser(first));
  // The first session is the oldest, but it was used last.
  const staleFirst = sameBrowser(first);
  expectStatus(await first.refresh(), 200);
  expect(await liveRows(t, first.email)).toHaveLength(10);

  const newest = await inAnotherBrowser(first);
  expect(await liveRows(t, first.email)).toHaveLength(10);
  const evicted = await others[0]?.refresh();
  expect([evicted?.status, evicted?.cookie]).toEqual([401, ""]);
  expectStatus(await staleFirst.refresh(), 200);
  for (const caller of [first, newest, ...others.slice(1)]) expectStatus(await caller.refresh(), 200);

  const next = await inAnotherBrowser(first);
  expect((await sameBrowser(first).refresh()).status).toBe(401);
  expect((await staleFirst.refresh()).status).toBe(401);
  expectStatus(await next.refresh(), 200);
  expect(
    await t.sql("SELECT FROM audit_events WHERE action = 'REFRESH_TOKEN_REUSED' AND target_id = $1", [
      idOf(first),
    ]),
  ).toEqual([]);
});
