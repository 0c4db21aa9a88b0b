import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { browser, startOidc, withProviders } from "../../support/oidc.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { inAnotherBrowser } from "../../support/sessions.ts";
import { withTwoFactor } from "../../support/two-factor.ts";

const oidc = await startOidc();
const t = await startService({ ...withProviders(oidc), REAUTHENTICATION_MINUTES: "10" });
const PATH = "/api/profile/reauthenticate";
const REFUSED = "403 REAUTHENTICATION_REQUIRED";

/** Returns a user whose sign-in is older than REAUTHENTICATION_MINUTES, with a new refresh token. */
async function signedInLongAgo(person: Caller): Promise<Caller> {
  await t.sql(
    `UPDATE session_proofs SET proved_at = now() - interval '11 minutes'
     WHERE user_id = (SELECT id FROM users WHERE email = $1)`,
    [person.email],
  );
  expectStatus(await person.refresh(), 200);
  return person;
}
const guarded = (person: Caller) => ({
  endOne: () => person.delete(`/api/profile/sessions/${crypto.randomUUID()}`),
  endOthers: () => person.delete("/api/profile/sessions"),
  unlink: () => person.delete("/api/profile/identities/acme"),
  setUp: () => person.post("/api/profile/2fa/setup", {}),
});
async function outcomes(person: Caller) {
  const all = Object.entries(guarded(person)).map(async ([what, send]) => [what, outcome(await send())]);
  return Object.fromEntries(await Promise.all(all));
}
const ALL_REFUSED = { endOne: REFUSED, endOthers: REFUSED, unlink: REFUSED, setUp: REFUSED };
const NONE_REFUSED = {
  endOne: "404 NOT_FOUND",
  endOthers: "204",
  unlink: "404 NOT_FOUND",
  setUp: "400 VALIDATION_FAILED",
};

test("sensitive writes need a recent sign-in, or a password or code confirmed in the session", async () => {
  const person = await signedInLongAgo(await t.person());
  const elsewhere = await inAnotherBrowser(person);
  await signedInLongAgo(person);
  expectStatus(await elsewhere.refresh(), 200);
  expect(await outcomes(person)).toEqual(ALL_REFUSED);
  expectStatus(await person.refresh(), 200);
  expect(await outcomes(person)).toEqual(ALL_REFUSED);

  expectStatus(await person.post(PATH, { password: person.account.password }), 204);
  expect(outcome(await elsewhere.delete("/api/profile/sessions"))).toBe(REFUSED);
  expectStatus(await person.refresh(), 200);
  expect(await outcomes(person)).toEqual(NONE_REFUSED);

  await signedInLongAgo(person);
  expect(outcome(await person.delete("/api/profile/sessions"))).toBe(REFUSED);
});

test("a recent sign-in is sufficient for sensitive writes", async () => {
  expect(await outcomes(await t.person())).toEqual(NONE_REFUSED);
});

test("re-authentication with a wrong or missing password or code fails, and counts against the limit of the profile", async () => {
  const { person, code } = await withTwoFactor(t);
  const { password } = person.account;
  await signedInLongAgo(person);
  const missing = await person.post(PATH, {});
  expect(missing.body.errors?.map(({ path }: { path: string }) => path)).toEqual(["password", "code"]);
  expect(outcome(await person.post(PATH, { password: "not this one", code: code() }))).toBe(
    "400 INVALID_CREDENTIALS",
  );
  expect(outcome(await person.post(PATH, { password, code: "000000x" }))).toBe("400 INVALID_TWO_FACTOR_CODE");
  expect(outcome(await person.delete("/api/profile/sessions"))).toBe(REFUSED);
  expectStatus(await person.post(PATH, { password, code: code() }), 204);
  expect(outcome(await person.delete("/api/profile/sessions"))).toBe("204");

  const victim = await t.person();
  for (let attempt = 0; attempt < 10; attempt += 1)
    expect(outcome(await victim.post(PATH, { password: "not this one" }))).toBe("400 INVALID_CREDENTIALS");
  expect(outcome(await victim.post(PATH, { password: victim.account.password }))).toBe(
    "429 TOO_MANY_REQUESTS",
  );
});

test("an account with neither password nor second factor re-authenticates by signing in again", async () => {
  const visitor = browser(t, oidc);
  await visitor.signIn(oidc.person());
  const { caller } = visitor;
  await t.sql("UPDATE session_proofs SET proved_at = now() - interval '11 minutes'");
  expectStatus(await caller.refresh(), 200);
  expect(outcome(await caller.post("/api/profile/2fa/setup", {}))).toBe(REFUSED);
  expect(outcome(await caller.post(PATH, {}))).toBe("409 CONFLICT");
  await visitor.signIn(oidc.person());
  expect(outcome(await caller.post("/api/profile/2fa/setup", {}))).toBe("200");
});

test("a platform administrator needs a recent sign-in to promote a user and to end sessions or factors of others", async () => {
  const root = await signedInLongAgo(await t.platformAdmin());
  const { person } = await withTwoFactor(t);
  const path = `/api/users/${idOf(person)}`;
  const writes = [
    () => root.patch(path, { isPlatformAdmin: true }),
    () => root.patch(path, { isPlatformAdmin: false }),
    () => root.delete(`${path}/2fa`),
    () => root.delete(`${path}/sessions`),
  ];
  for (const write of writes) expect(outcome(await write())).toBe(REFUSED);
  expectStatus(await person.refresh(), 200);
  // A caller without the permission gets 403, not the error about the recent sign-in.
  expect(outcome(await person.delete(`${path}/sessions`))).toBe("403 PLATFORM_ADMIN_REQUIRED");

  expectStatus(await root.post(PATH, { password: root.account.password }), 204);
  const done = [];
  for (const write of writes) done.push(outcome(await write()));
  expect(done).toEqual(["200", "200", "204", "204"]);
});

test("data export and account deletion need a recent sign-in only if the account has neither password nor second factor", async () => {
  const visitor = browser(t, oidc);
  const subject = oidc.person();
  await visitor.signIn(subject);
  const { caller } = visitor;
  await t.sql("UPDATE session_proofs SET proved_at = now() - interval '11 minutes'");
  expectStatus(await caller.refresh(), 200);
  for (const what of ["export", "delete"])
    expect(outcome(await caller.post(`/api/profile/${what}`, {}))).toBe(REFUSED);
  expectStatus(await caller.get("/api/profile"), 200);
  await visitor.signIn(subject);
  for (const [what, expected] of [
    ["export", "200"],
    ["delete", "204"],
  ])
    expect(outcome(await caller.post(`/api/profile/${what}`, {}))).toBe(expected ?? "");

  const { person, code } = await withTwoFactor(t);
  await t.sql("UPDATE users SET password_hash = NULL WHERE id = $1", [idOf(person)]);
  await signedInLongAgo(person);
  expect(outcome(await person.post("/api/profile/export", { code: code() }))).toBe("200");
  const owner = await signedInLongAgo(await t.person());
  expect(outcome(await owner.post("/api/profile/delete", { password: owner.account.password }))).toBe("204");
});

test("without REAUTHENTICATION_MINUTES, an access token is sufficient for sensitive writes", async () => {
  const { url } = await t.beside({ REAUTHENTICATION_MINUTES: "" });
  const person = await signedInLongAgo(await t.person());
  expect(outcome(await person.at(url).delete("/api/profile/sessions"))).toBe("204");
});

test("a right password in a body is a proof of the session, so nobody is asked twice in a row", async () => {
  const ask = (person: Caller) => person.post("/api/profile/passkeys/options");
  const uses: Record<string, (person: Caller, password: string) => Promise<{ status: number }>> = {
    export: (person, password) => person.post("/api/profile/export", { password }),
    setUp: (person, password) => person.post("/api/profile/2fa/setup", { password }),
    link: (person, password) => person.post("/api/profile/identities/acme", { password }),
    change: (person, password) =>
      person.post("/api/profile/password", {
        currentPassword: password,
        newPassword: "a longer blue yonder",
      }),
  };
  for (const [name, use] of Object.entries(uses)) {
    const person = await signedInLongAgo(await t.person());
    expect([name, outcome(await ask(person))]).toEqual([name, REFUSED]);
    expect([name, (await use(person, "not this password")).status]).toEqual([name, 400]);
    expect([name, outcome(await ask(person))]).toEqual([name, REFUSED]);
    expect([name, (await use(person, person.account.password)).status]).toBeOneOf([
      [name, 200],
      [name, 204],
    ]);
    expect([name, outcome(await ask(person))]).toEqual([name, "200"]);
  }
});

test("while the second factor is on, the password alone is no proof of the session", async () => {
  const { person, code, rewind } = await withTwoFactor(t);
  await signedInLongAgo(person);
  const { password } = person.account;
  const refused = async () =>
    expect(outcome(await person.post("/api/profile/passkeys/options"))).toBe(REFUSED);
  expectStatus(await person.post("/api/profile/identities/acme", { password }), 200);
  await refused();
  const change = { currentPassword: password, newPassword: "a longer blue yonder" };
  expectStatus(await person.post("/api/profile/password", change), 204);
  await refused();
  await rewind();
  expectStatus(await person.post(PATH, { password: change.newPassword, code: code() }), 204);
  expect(outcome(await person.post("/api/profile/passkeys/options"))).toBe("200");
});

test("the proof that turns the second factor off is one of the session", async () => {
  const { person, code } = await withTwoFactor(t);
  await signedInLongAgo(person);
  const { password } = person.account;
  expectStatus(await person.post("/api/profile/2fa/disable", { password, code: code() }), 204);
  expect(outcome(await person.post("/api/profile/passkeys/options"))).toBe("200");
});

test("a recovery code is taken as `code` for disabling, export and deletion, and not for re-authentication", async () => {
  const { person, recoveryCodes } = await withTwoFactor(t);
  const { password } = person.account;
  const [first, second, third, fourth] = recoveryCodes;
  expect(outcome(await person.post(PATH, { password, code: first }))).toBe("400 INVALID_TWO_FACTOR_CODE");
  expect(outcome(await person.post("/api/profile/export", { password, code: first }))).toBe("200");
  // It works once.
  expect(outcome(await person.post("/api/profile/export", { password, code: first }))).toBe(
    "400 INVALID_TWO_FACTOR_CODE",
  );
  expect(outcome(await person.post("/api/profile/export", { password, recoveryCode: second }))).toBe("200");
  expect(outcome(await person.post("/api/profile/2fa/disable", { password, code: third }))).toBe("204");
  const other = await withTwoFactor(t);
  const [own] = other.recoveryCodes;
  expect(outcome(await other.person.post("/api/profile/delete", { password, code: fourth }))).toBe(
    "400 INVALID_TWO_FACTOR_CODE",
  );
  expect(outcome(await other.person.post("/api/profile/delete", { password, code: own }))).toBe("204");
});
