import { expect, test } from "bun:test";
import { type Caller, claimsOf } from "../../support/caller.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";
import { inAnotherBrowser, liveRows, sameBrowser, tokenRows } from "../../support/sessions.ts";

const t = await sharedService({ TRUST_PROXY: "1" });
const SESSIONS = "/api/profile/sessions";

const sessionOf = (person: Caller): string => claimsOf(person.accessToken ?? "").sid;
const list = async (person: Caller) => expectStatus(await person.get(SESSIONS), 200).body;
const revoked = async (person: Caller) =>
  t.sql<{ target_id: string; target_type: string; organization_id: string | null; metadata: unknown }>(
    `SELECT target_id, target_type, organization_id, metadata FROM audit_events
     WHERE actor_id = $1 AND action = 'SESSION_REVOKED' ORDER BY target_id`,
    [idOf(person)],
  );

test("each session is listed once, even if it was refreshed, most recently used first", async () => {
  const person = await t.person();
  const [phone, laptop] = [await inAnotherBrowser(person), await inAnotherBrowser(person)];
  for (const browser of [person, phone, phone, laptop, person]) expectStatus(await browser.refresh(), 200);
  const sessions = await list(laptop);
  expect(sessions.map(({ id }: { id: string }) => id)).toEqual([person, laptop, phone].map(sessionOf));
  expect(sessions.map(({ current }: { current: boolean }) => current)).toEqual([false, true, false]);
});

test("a listed session has its start, last use, IP address, device and organization", async () => {
  const org = await createOrganization(t, "Acme");
  const headers = (ip: string, agent: string) => ({
    headers: { "x-forwarded-for": ip, "user-agent": agent },
  });
  const browser = org.admin.at(t.url);
  browser.cookie = null;
  const login = () => browser.post("/api/auth/login", org.admin.account, headers("203.0.113.7", "Firefox"));
  expectStatus(await login(), 200);
  await t.age("refresh_tokens", { session_id: sessionOf(browser) }, { hours: 5 });
  expectStatus(await browser.refresh(headers("2001:db8::1", "Firefox 2")), 200);

  const found = (await list(browser)).find(({ current }: { current: boolean }) => current);
  expect(found).toEqual({
    id: sessionOf(browser),
    createdAt: expect.any(String),
    lastUsedAt: expect.any(String),
    expiresAt: expect.any(String),
    ip: "2001:db8::1",
    userAgent: "Firefox 2",
    organization: { id: org.id, name: "Acme" },
    confined: false,
    current: true,
  });
  const hours = (from: string, to: string) => (Date.parse(found[to]) - Date.parse(found[from])) / 3_600_000;
  expect(hours("createdAt", "lastUsedAt")).toBeWithin(4.9, 5.1);
  expect(hours("lastUsedAt", "expiresAt")).toBeWithin(167.9, 168.1);

  const [alone, admin] = [await t.person(), await t.platformAdmin()];
  for (const person of [alone, admin]) expect((await list(person))[0].organization).toBeNull();
});

test("signed-out and expired sessions and those of other users are not listed", async () => {
  const person = await t.person();
  const [loggedOut, expired] = [await inAnotherBrowser(person), await inAnotherBrowser(person)];
  expectStatus(await loggedOut.post("/api/auth/logout"), 204);
  await t.age("refresh_tokens", { session_id: sessionOf(expired) }, { days: 8 });
  await t.person();
  expect((await list(person)).map(({ id }: { id: string }) => id)).toEqual([sessionOf(person)]);
});

test("after a session is ended, all its cookies are 401 without counting as token reuse", async () => {
  const person = await t.person();
  const [other, third] = [await inAnotherBrowser(person), await inAnotherBrowser(person)];
  const old = sameBrowser(other);
  expectStatus(await other.refresh(), 200);
  await t.age("refresh_tokens", { session_id: sessionOf(other) }, { minutes: 2 });
  expectStatus(await person.delete(`${SESSIONS}/${sessionOf(other)}`), 204);
  for (const cookie of [other, old])
    expect(outcome(await cookie.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
  for (const alive of [person, third]) expectStatus(await alive.refresh(), 200);
  expect(await revoked(person)).toEqual([
    { target_id: sessionOf(other), target_type: "session", organization_id: null, metadata: {} },
  ]);
  const theft = "SELECT FROM audit_events WHERE action = 'REFRESH_TOKEN_REUSED' AND target_id = $1";
  expect(await t.sql(theft, [idOf(person)])).toEqual([]);
});

test("the current session can be ended like any other", async () => {
  const person = await t.person();
  expectStatus(await person.delete(`${SESSIONS}/${sessionOf(person).toUpperCase()}`), 204);
  expect(outcome(await person.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
  // Reads accept the access token until it expires.
  expect(await list(person)).toEqual([]);
});

test("ending another user's, an ended or an unknown session is 404", async () => {
  const [person, stranger] = [await t.person(), await t.person()];
  const loggedOut = await inAnotherBrowser(person);
  const over = sessionOf(loggedOut);
  expectStatus(await loggedOut.post("/api/auth/logout"), 204);
  for (const id of [sessionOf(stranger), over, crypto.randomUUID()])
    expect(outcome(await person.delete(`${SESSIONS}/${id}`))).toBe("404 NOT_FOUND");
  expect(outcome(await person.delete(`${SESSIONS}/mine`))).toBe("400 VALIDATION_FAILED");
  expectStatus(await stranger.refresh(), 200);
  expect(await revoked(person)).toEqual([]);
});

test("ending all other sessions writes one audit event each and keeps the current one", async () => {
  const [person, stranger] = [await t.person(), await t.person()];
  const others = [
    await inAnotherBrowser(person),
    await inAnotherBrowser(person),
    await inAnotherBrowser(person),
  ];
  for (const other of others.slice(1)) expectStatus(await other.refresh(), 200);
  expectStatus(await person.delete(SESSIONS), 204);
  expect((await revoked(person)).map(({ target_id }) => target_id)).toEqual(others.map(sessionOf).sort());
  for (const other of others) expect(outcome(await other.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
  for (const alive of [person, stranger]) expectStatus(await alive.refresh(), 200);
  expect(await liveRows(t, person.email)).toHaveLength(1);
  expectStatus(await person.delete(SESSIONS), 204);
  expect(await revoked(person)).toHaveLength(3);
});

test("a signed-out cookie still counts as token reuse after all other sessions were ended", async () => {
  const person = await t.person();
  const loggedOut = await inAnotherBrowser(person);
  const stolen = sameBrowser(loggedOut);
  expectStatus(await loggedOut.post("/api/auth/logout"), 204);
  expectStatus(await person.delete(SESSIONS), 204);
  expect(outcome(await stolen.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
  expect(await tokenRows(t, person.email)).toEqual([]);
});
