import { expect, test } from "bun:test";
import { Caller, claimsOf } from "../../support/caller.ts";
import { assignments, createOrganization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { FEWER_ROUNDS } from "../../support/race.ts";
import { definitions } from "../../support/routes.ts";
import { expectStatus, sharedService, uniqueEmail } from "../../support/service.ts";
import { inAnotherBrowser, liveRows, sameBrowser } from "../../support/sessions.ts";
import {
  challenge,
  codeOfStep,
  currentStep,
  fromBase32,
  verify,
  withTwoFactor,
} from "../../support/two-factor.ts";

/* Two instances on one database: one requires no second factor, the other requires it of all users. */
const t = await sharedService();
const strict = await t.beside({ REQUIRE_TWO_FACTOR: "all" });

const REFUSED = "403 TWO_FACTOR_REQUIRED";
const isRestricted = ({ accessToken }: Caller) => claimsOf(accessToken ?? "").mustEnableTwoFactor === true;

/** Creates a user whose session can only set up the second factor. */
async function restricted(): Promise<Caller> {
  const person = await inAnotherBrowser(await t.person(), strict.url);
  expect(isRestricted(person)).toBe(true);
  return person;
}

/** Enables the user's second factor; the user keeps the earlier access token. */
const enabled = (person: Caller) => withTwoFactor(t, person);

const WORK = [
  "addPasskey",
  "beginPasskeyRegistration",
  "beginReauthenticationPasskey",
  "enableTwoFactor",
  "getProfile",
  "getTwoFactor",
  "listPasskeys",
  "logout",
  "reauthenticate",
  "setUpTwoFactor",
];

/** Public operations that act for a caller with an access token. */
const TAKES_TOKEN = ["acceptInvitation", "confirmEmailChange"];

test("a session without the required second factor can only read the profile, set up the factor and sign out", async () => {
  const person = await restricted();
  const working: string[] = [];
  for (const { operationId, method, path, access } of definitions) {
    if (access === "public" || access === "setup-link" || operationId === "logout") continue;
    const response = await person.send(
      method.toUpperCase(),
      path.replaceAll(/\{\w+\}/g, crypto.randomUUID()),
    );
    if (outcome(response) !== REFUSED) working.push(operationId);
  }
  expectStatus(await person.post("/api/auth/logout"), 204);
  expect([...working, "logout"].sort()).toEqual(WORK);
  expect(outcome(await person.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
});

test("the OpenAPI document states for each operation whether it refuses a session without the required second factor", async () => {
  const { paths, components } = (await t.anonymous().get("/api/docs-json")).body;
  const resolve = ({ $ref, ...given }: { $ref?: string } = {}) =>
    $ref === undefined ? given : components.responses[$ref.split("/").at(-1) ?? ""];
  for (const { operationId, method, path, access } of definitions) {
    const { description, responses } = paths[path][method];
    const works = WORK.includes(operationId);
    const refuses = (access !== "public" && !works) || TAKES_TOKEN.includes(operationId);
    const resolved = JSON.stringify(resolve(responses["403"])).includes("TWO_FACTOR_REQUIRED");
    expect([
      operationId,
      resolved,
      description.includes("Available before a required second factor"),
    ]).toEqual([operationId, refuses, works]);
  }
});

test("TWO_FACTOR_REQUIRED is checked after 401 and before the header X-Organization-Id", async () => {
  const person = await restricted();
  const other = { headers: { "x-organization-id": "x" } };
  const wrong = { raw: "{", headers: { "content-type": "application/json" } };
  expect(outcome(await person.patch("/api/profile", { wrong: 1 }, other))).toBe(REFUSED);
  expect(outcome(await person.get("/api/profile", other))).toBe("403 ORGANIZATION_OVERRIDE_FORBIDDEN");
  expect(outcome(await person.patch("/api/profile", undefined, wrong))).toBe("400 MALFORMED_JSON");
  expect(outcome(await person.get("/api/users"))).toBe(REFUSED);
  expect(outcome(await t.anonymous(strict.url).get("/api/users"))).toBe("401 UNAUTHENTICATED");
  expect(outcome(await person.get("/api/unknown"))).toBe("404 NOT_FOUND");
});

test("after the required factor is enabled, the next refresh removes the restriction, and later sign-ins need a code", async () => {
  const person = await restricted();
  const { code, rewind } = await enabled(person);
  expect(outcome(await person.get("/api/auth/organizations"))).toBe(REFUSED);
  expect((await person.get("/api/profile/2fa")).body.enabled).toBe(true);
  expectStatus(await person.refresh(), 200);
  expect(isRestricted(person)).toBe(false);
  expectStatus(await person.get("/api/auth/organizations"), 200);

  const { browser, challengeToken } = await challenge(person, strict.url);
  await rewind();
  expectStatus(await verify(browser, { challengeToken, code: code() }), 200);
  expectStatus(await browser.get("/api/auth/organizations"), 200);
});

test("a refresh keeps the restriction of a missing second factor, also in the grace period of a replaced cookie", async () => {
  const person = await restricted();
  const stale = sameBrowser(person);
  expectStatus(await person.refresh(), 200);
  const grace = await stale.refresh();
  expect([grace.status, grace.cookie]).toEqual([200, null]);
  for (const browser of [person, stale]) {
    expect(isRestricted(browser)).toBe(true);
    expect(outcome(await browser.get("/api/notifications"))).toBe(REFUSED);
  }
});

test("a session without the required second factor cannot use its organization, nor switch to another", async () => {
  const org = await createOrganization(t);
  const person = await inAnotherBrowser(await org.member(), strict.url);
  const nothing = { roles: [], permissions: [], unitGrants: [] };
  expect(claimsOf(person.accessToken ?? "")).toMatchObject({ organization: { id: org.id }, ...nothing });
  expect(outcome(await person.get("/api/todos"))).toBe(REFUSED);
  expect(outcome(await person.post("/api/auth/organization", { organizationId: org.id }))).toBe(REFUSED);
  expect(outcome(await person.get("/api/notifications/stream"))).toBe(REFUSED);
  await enabled(person);
  expectStatus(await person.refresh(), 200);
  expectStatus(await person.get("/api/todos"), 200);
  expect(claimsOf(person.accessToken ?? "").roles).toEqual(["MEMBER"]);
});

// The test fails without endOthersWithoutCode (src/features/two-factor/settings.ts).
test("enabling a required factor ends the user's other sessions, which were started without a code", async () => {
  const person = await restricted();
  const waiting = await inAnotherBrowser(person);
  const { sid } = claimsOf(waiting.accessToken ?? "");
  await enabled(person);
  expect(outcome(await waiting.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
  expect(await liveRows(t, person.email)).toHaveLength(1);
  const events = "SELECT actor_id FROM audit_events WHERE action = 'SESSION_REVOKED' AND target_id = $1";
  expect(await t.sql(events, [sid])).toEqual([{ actor_id: idOf(person) }]);

  const free = await t.person();
  const other = await inAnotherBrowser(free);
  await enabled(free);
  expectStatus(await other.refresh(), 200);
});

// The test fails without lockForSignIn (src/features/sessions/start.ts) and lockTokenOwner
// (src/features/sessions/refresh.ts).
test("a sign-in or refresh without a code, concurrent with enabling a required factor, leaves no session", async () => {
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const person = await restricted();
    const [waiting, arriving] = [await inAnotherBrowser(person), new Caller(strict.url, person.account)];
    const { password } = person.account;
    const { secret } = expectStatus(await person.post("/api/profile/2fa/setup", { password }), 200).body;
    const code = codeOfStep(fromBase32(secret), currentStep());
    const [on] = await Promise.all([
      person.post("/api/profile/2fa/enable", { code }),
      waiting.refresh(),
      arriving.login(),
    ]);
    expectStatus(on, 200);
    const rows = await liveRows(t, person.email);
    expect(rows.map((row) => row.session_id)).toEqual([claimsOf(person.accessToken ?? "").sid]);
  }
});

test("a required factor cannot be disabled; a reset by an administrator restricts the user again", async () => {
  const person = await restricted();
  const { code, rewind } = await enabled(person);
  expectStatus(await person.refresh(), 200);
  const { password } = person.account;
  const disable = (url: string) =>
    person.at(url).post("/api/profile/2fa/disable", { password, code: code() });
  expect(outcome(await disable(strict.url))).toBe("409 CONFLICT");
  expect((await person.get("/api/profile/2fa")).body.enabled).toBe(true);
  await rewind();
  expectStatus(await disable(t.url), 204);
  // An access token stays unrestricted until it expires.
  expectStatus(await person.get("/api/notifications"), 200);
  expectStatus(await person.refresh(), 200);
  expect(outcome(await person.get("/api/notifications"))).toBe(REFUSED);

  await enabled(person);
  expectStatus(await person.refresh(), 200);
  const admin = await t.platformAdmin();
  expectStatus(await admin.delete(`/api/users/${idOf(person)}/2fa`), 204);
  expectStatus(await person.refresh(), 200);
  expect(outcome(await person.get("/api/notifications"))).toBe(REFUSED);
});

test("a change of REQUIRE_TWO_FACTOR takes effect at the next refresh of a session", async () => {
  const person = await t.person();
  const there = person.at(strict.url);
  expectStatus(await there.get("/api/notifications"), 200);
  expectStatus(await there.refresh(), 200);
  expect(outcome(await there.get("/api/notifications"))).toBe(REFUSED);

  const back = there.at(t.url);
  expect(outcome(await back.get("/api/notifications"))).toBe(REFUSED);
  expectStatus(await back.refresh(), 200);
  expectStatus(await back.get("/api/notifications"), 200);
});

test("a session without the required second factor cannot accept an invitation; an invalid link is still reported as invalid", async () => {
  const org = await createOrganization(t);
  const person = await restricted();
  const invite = async (email: string) => {
    const body = { email, ...assignments({ role: "MEMBER" }) };
    expectStatus(await org.admin.post("/api/members/invitations", body), 201);
    return (await t.linkTo(email, "/accept-invitation")).token;
  };
  const token = await invite(person.email);
  const accept = (body: Record<string, unknown>) => person.post("/api/auth/accept-invitation", body);
  expect(outcome(await accept({ token: "dead" }))).toBe("400 INVALID_OR_EXPIRED_TOKEN");
  expect(outcome(await accept({ token: await invite(uniqueEmail()) }))).toBe(REFUSED);
  expect(outcome(await accept({ token }))).toBe(REFUSED);
  // Accepting with a new account ignores the session.
  const account = { password: "a new blue yonder", firstName: "Ada", lastName: "Again" };
  expectStatus(await accept({ token: await invite(uniqueEmail()), ...account }), 204);
  await enabled(person);
  expectStatus(await person.refresh(), 200);
  expectStatus(await accept({ token }), 204);
});
