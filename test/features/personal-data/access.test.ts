import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { holdUserLock } from "../../support/locks.ts";
import { idOf, messages, outcome } from "../../support/outcomes.ts";
import { EXPORT, exportOf } from "../../support/personal-data.ts";
import { FEWER_ROUNDS, race } from "../../support/race.ts";
import { expectStatus, sharedService } from "../../support/service.ts";
import { forgetAttempts, withTwoFactor, wrongCode } from "../../support/two-factor.ts";

const t = await sharedService();
const take = async (person: Caller, body?: Record<string, unknown>) => outcome(await exportOf(person, body));
const attempts = async (person: Caller) =>
  (await t.sql("SELECT FROM failed_attempts WHERE user_id = $1", [idOf(person)])).length;

test("the data export needs password and second-factor code if the account has them, checked in this order", async () => {
  const person = await t.person();
  expect(messages(await exportOf(person, {}))).toEqual(["password is required"]);
  expect(await take(person, { password: "wrong" })).toBe("400 INVALID_CREDENTIALS");
  expect(await take(person, { password: person.account.password, code: "123456" })).toBe("200");

  const factor = await withTwoFactor(t);
  const { password } = factor.person.account;
  expect(messages(await exportOf(factor.person, {}))).toEqual(["password is required", "code is required"]);
  expect(messages(await exportOf(factor.person, { password }))).toEqual(["code is required"]);
  expect(await take(factor.person, { password: "wrong", code: factor.code() })).toBe(
    "400 INVALID_CREDENTIALS",
  );
  expect(await take(factor.person, { password, code: wrongCode(factor) })).toBe(
    "400 INVALID_TWO_FACTOR_CODE",
  );
  expect(await take(factor.person, { password, code: factor.code() })).toBe("200");
  // The code was consumed by the successful export.
  expect(await take(factor.person, { password, code: factor.code() })).toBe("400 INVALID_TWO_FACTOR_CODE");
});

test("the data export of an account without a password needs neither a password nor a body", async () => {
  const person = await t.person();
  await t.sql("UPDATE users SET password_hash = NULL WHERE email = $1", [person.email]);
  expect(await take(person, {})).toBe("200");
  const bare = await fetch(person.url + EXPORT, {
    method: "POST",
    headers: { authorization: `Bearer ${person.accessToken}` },
  });
  expect([bare.status, bare.headers.get("content-type")]).toEqual([200, "application/zip"]);
  await bare.arrayBuffer();
});

test("the data export consumes a recovery code and notifies its owner", async () => {
  const { person, recoveryCodes } = await withTwoFactor(t);
  const { password } = person.account;
  const [code] = recoveryCodes;
  expect(await take(person, { password, code })).toBe("200");
  expect(await take(person, { password, code })).toBe("400 INVALID_TWO_FACTOR_CODE");
  const mail = (await t.mailTo(person.email)).at(-1);
  expect(mail?.subject).toBe("A recovery code was used to export your data");
  expect(mail?.text).toContain("Unused codes left: 9.");
  const told = "SELECT data FROM notifications WHERE user_id = $1 AND type = 'TWO_FACTOR_RECOVERY_CODE_USED'";
  expect(await t.sql(told, [idOf(person)])).toEqual([{ data: { remaining: 9 } }]);
  const events = "SELECT FROM audit_events WHERE actor_id = $1 AND action = 'TWO_FACTOR_RECOVERY_CODE_USED'";
  expect(await t.sql(events, [idOf(person)])).toHaveLength(1);
});

test("password and code checks of the data export share the limit of the profile, correct or not", async () => {
  const person = await t.person();
  for (let tries = 0; tries < 4; tries += 1)
    expect(await take(person, { password: "wrong" })).toBe("400 INVALID_CREDENTIALS");
  expect(await take(person)).toBe("200");
  for (let tries = 0; tries < 5; tries += 1)
    expect(outcome(await person.post("/api/profile/delete", { password: "wrong" }))).toBe(
      "400 INVALID_CREDENTIALS",
    );
  const refused = await exportOf(person);
  expect(outcome(refused)).toBe("429 TOO_MANY_REQUESTS");
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(60);
  expect(outcome(await person.post("/api/profile/delete", { password: "wrong" }))).toBe(
    "429 TOO_MANY_REQUESTS",
  );
  await forgetAttempts(t, person);
  expect(await take(person)).toBe("200");
});

test("of concurrent password guesses at the data export at most ten are checked", async () => {
  const person = await t.person();
  const responses = await race(30, () => take(person, { password: "wrong" }));
  const checked = responses.filter((response) => response === "400 INVALID_CREDENTIALS").length;
  expect(checked).toBeGreaterThan(0);
  expect(checked).toBeLessThanOrEqual(10);
  expect(new Set(responses)).toEqual(new Set(["400 INVALID_CREDENTIALS", "429 TOO_MANY_REQUESTS"]));
  expect(await attempts(person)).toBe(checked);
});

test("invalid bodies of the data export are refused, and do not count against the limit", async () => {
  const person = await t.person();
  expect(messages(await exportOf(person, { password: 1, code: "", extra: true }))).toEqual([
    "password must be a string",
    "code should not be empty",
    "property extra should not exist",
  ]);
  const post = (raw: string, type = "application/json") =>
    person.post(EXPORT, undefined, { raw, headers: { "content-type": type } });
  const refusals: [string, string, string?][] = [
    ["{", "400 MALFORMED_JSON"],
    ["[]", "400 VALIDATION_FAILED"],
    ["null", "400 VALIDATION_FAILED"],
    ['{"password":null}', "400 VALIDATION_FAILED"],
    ['{"password":"\\u0000"}', "400 VALIDATION_FAILED"],
    ['{"__proto__":{"password":"x"}}', "400 VALIDATION_FAILED"],
    [`{"password":"${"a".repeat(1001)}"}`, "400 VALIDATION_FAILED"],
    [`{"password":"${"a".repeat(110_000)}"}`, "413 PAYLOAD_TOO_LARGE"],
    ["password=x", "415 UNSUPPORTED_MEDIA_TYPE", "application/x-www-form-urlencoded"],
  ];
  for (const [raw, expected, type] of refusals)
    expect([raw.slice(0, 40), outcome(await post(raw, type))]).toEqual([raw.slice(0, 40), expected]);
  expect(await attempts(person)).toBe(0);
  expect(outcome(await person.post(`${EXPORT}?userId=${crypto.randomUUID()}`, {}))).toBe(
    "400 VALIDATION_FAILED",
  );
  expect(outcome(await person.get(EXPORT))).toBe("404 NOT_FOUND");
  expect(outcome(await t.anonymous().post(EXPORT, { wrong: 1 }))).toBe("401 UNAUTHENTICATED");
  const other = { "x-organization-id": crypto.randomUUID() };
  expect(outcome(await exportOf(person, { wrong: 1 }, { headers: other }))).toBe(
    "403 ORGANIZATION_OVERRIDE_FORBIDDEN",
  );
});

test("the data export of a deleted account is 401, also if the deletion is concurrent", async () => {
  const person = await t.person();
  const { password } = person.account;
  const lock = await holdUserLock(t, person.email);
  const removed = person.post("/api/profile/delete", { password });
  await lock.waiting(1);
  const exported = exportOf(person);
  await lock.waiting(2);
  await lock.release();
  expectStatus(await removed, 204);
  expect(outcome(await exported)).toBe("401 UNAUTHENTICATED");
  expect(await take(person)).toBe("401 UNAUTHENTICATED");
});

test("the data export rejects a password that was changed while it was checked", async () => {
  const person = await t.person();
  const lock = await holdUserLock(t, person.email);
  const newPassword = "a longer blue yonder";
  const { password: currentPassword } = person.account;
  const changed = person.post("/api/profile/password", { currentPassword, newPassword });
  await lock.waiting(1);
  const exported = exportOf(person);
  await lock.waiting(2);
  await lock.release();
  expectStatus(await changed, 204);
  expect(outcome(await exported)).toBe("400 INVALID_CREDENTIALS");
});

test("a data export concurrent with the deletion of its account is complete or 401", async () => {
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const person = await t.person();
    const { password } = person.account;
    // Reading an incomplete archive fails.
    const [removed, ...exported] = await Promise.all([
      person.post("/api/profile/delete", { password }),
      take(person),
      take(person),
    ]);
    expectStatus(removed, 204);
    for (const response of exported) expect(["200", "401 UNAUTHENTICATED"]).toContain(response);
  }
});
