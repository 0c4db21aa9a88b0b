import { expect, test } from "bun:test";
import { Caller, claimsOf } from "../../support/caller.ts";
import { browser, startOidc, withProviders } from "../../support/oidc.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { withTwoFactor } from "../../support/two-factor.ts";

const REFUSED = "403 TWO_FACTOR_REQUIRED";
const oidc = await startOidc();
const t = await startService({ REQUIRE_TWO_FACTOR: "platform-admins" });
const all = await startService({ REQUIRE_TWO_FACTOR: "all", ...withProviders(oidc) });

test("a second factor that is required only of platform administrators restricts no other user", async () => {
  const person = await t.person();
  expectStatus(await person.get("/api/auth/organizations"), 200);
  const admin = await t.platformAdmin();
  expect(outcome(await admin.get("/api/users"))).toBe(REFUSED);
  await withTwoFactor(t, admin);
  expectStatus(await admin.refresh(), 200);
  expectStatus(await admin.get("/api/users"), 200);
});

test("a new platform administrator without the required second factor is restricted from the next refresh until a demotion", async () => {
  const admin = await t.platformAdmin();
  await withTwoFactor(t, admin);
  expectStatus(await admin.refresh(), 200);
  const person = await t.person();
  const set = (isPlatformAdmin: boolean) => admin.patch(`/api/users/${idOf(person)}`, { isPlatformAdmin });
  expectStatus(await set(true), 200);
  expectStatus(await person.get("/api/notifications"), 200);
  expectStatus(await person.refresh(), 200);
  expect(outcome(await person.get("/api/notifications"))).toBe(REFUSED);
  expect(outcome(await person.get("/api/users", { headers: { "x-organization-id": "x" } }))).toBe(REFUSED);
  expectStatus(await set(false), 200);
  expectStatus(await person.refresh(), 200);
  expectStatus(await person.get("/api/notifications"), 200);
});

test("a new platform administrator with a second factor must sign in again, because the session may be older than the factor", async () => {
  const admin = await t.platformAdmin();
  await withTwoFactor(t, admin);
  expectStatus(await admin.refresh(), 200);
  const person = await t.person();
  const older = new Caller(t.url, person.account);
  await older.login();
  await withTwoFactor(t, person);
  expectStatus(await older.refresh(), 200);
  expectStatus(await admin.patch(`/api/users/${idOf(person)}`, { isPlatformAdmin: true }), 200);
  for (const session of [older, person])
    expect(outcome(await session.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
});

test("users of whom no second factor is required can disable it", async () => {
  const { person, code } = await withTwoFactor(t);
  const { password } = person.account;
  expectStatus(await person.post("/api/profile/2fa/disable", { password, code: code() }), 204);
});

test("sessions from third-party sign-in are restricted by a required second factor like those by password", async () => {
  const visitor = browser(all, oidc);
  const subject = oidc.person();
  for (let times = 0; times < 2; times += 1) {
    expect(Object.keys(await visitor.signIn(subject))).toEqual(["token"]);
    expect(claimsOf(visitor.caller.accessToken ?? "").mustEnableTwoFactor).toBe(true);
    expect(outcome(await visitor.caller.get("/api/notifications"))).toBe(REFUSED);
  }
  const { secret } = expectStatus(await visitor.caller.post("/api/profile/2fa/setup", {}), 200).body;
  expect(secret).toBeString();
});
