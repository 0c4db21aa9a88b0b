import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { liveRows } from "../../support/sessions.ts";
import { challenge, verify, withTwoFactor } from "../../support/two-factor.ts";

const t = await startService();
const admin = await t.platformAdmin();
const reset = (id: string, caller: Caller = admin) => caller.delete(`/api/users/${id}/2fa`);

test("a platform administrator can reset a user's second factor, which disables it and notifies the user", async () => {
  const { person, code, recoveryCodes } = await withTwoFactor(t);
  const { browser, challengeToken } = await challenge(person);
  const sessions = await liveRows(t, person.email);
  expectStatus(await reset(idOf(person)), 204);

  expect((await person.get("/api/profile/2fa")).body).toEqual({
    enabled: false,
    enabledAt: null,
    recoveryCodesLeft: 0,
    methods: [],
  });
  expect((await admin.get(`/api/users/${idOf(person)}`)).body.twoFactorEnabled).toBe(false);
  for (const body of [{ code: code(1) }, { recoveryCode: recoveryCodes[0] }])
    expect(outcome(await verify(browser, { challengeToken, ...body }))).toBe("401 UNAUTHENTICATED");
  expect(await liveRows(t, person.email)).toEqual(sessions);

  const [event] = await t.sql(
    "SELECT actor_id, target_type, organization_id, metadata FROM audit_events WHERE action = 'TWO_FACTOR_DISABLED' AND target_id = $1",
    [idOf(person)],
  );
  expect(event).toEqual({
    actor_id: idOf(admin),
    target_type: "user",
    organization_id: null,
    metadata: { via: "admin" },
  });
  const told = "SELECT data FROM notifications WHERE user_id = $1 AND type = 'TWO_FACTOR_DISABLED'";
  expect(await t.sql(told, [idOf(person)])).toEqual([{ data: { via: "admin" } }]);
  const mail = (await t.mailTo(person.email)).at(-1);
  expect(mail?.subject).toBe("Two-factor authentication is off");
  expect(mail?.text).toStartWith("An administrator has just turned off");

  expect((await person.login()).body.accessToken).toBeString();
  const anew = await withTwoFactor(t, person);
  expect(anew.secret).toHaveLength(32);
});

test("a platform administrator cannot reset their own second factor, a disabled or unconfirmed one, or one of an unknown account", async () => {
  const own = await withTwoFactor(t, await t.platformAdmin());
  expect(outcome(await reset(idOf(own.person), own.person))).toBe("409 CONFLICT");
  const off = await t.person();
  expect(outcome(await reset(idOf(off)))).toBe("409 TWO_FACTOR_NOT_ENABLED");
  const { password } = off.account;
  expectStatus(await off.post("/api/profile/2fa/setup", { password }), 200);
  expect(outcome(await reset(idOf(off)))).toBe("409 TWO_FACTOR_NOT_ENABLED");
  expect(outcome(await reset(crypto.randomUUID()))).toBe("404 NOT_FOUND");
  expect(outcome(await reset("nobody"))).toBe("400 VALIDATION_FAILED");
  const { person } = await withTwoFactor(t);
  await t.sql("UPDATE users SET is_deleted = true, deleted_at = now() WHERE id = $1", [idOf(person)]);
  expect(outcome(await reset(idOf(person)))).toBe("404 NOT_FOUND");
});
