import { expect, test } from "bun:test";
import decodeQR from "qr/decode.js";
import type { ApiResponse, Caller } from "../../support/caller.ts";
import { idOf, messages, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";
import { liveRows, resetToken } from "../../support/sessions.ts";
import {
  challenge,
  codeOfStep,
  currentStep,
  fromBase32,
  verify,
  withTwoFactor,
  wrongCode,
} from "../../support/two-factor.ts";

const t = await sharedService();

const FACTOR = "/api/profile/2fa";
const setUp = (person: Caller, body: unknown = { password: person.account.password }) =>
  person.post(`${FACTOR}/setup`, body);
const enable = (person: Caller, code: unknown) => person.post(`${FACTOR}/enable`, { code });
const disable = (person: Caller, code: unknown, password: unknown = person.account.password) =>
  person.post(`${FACTOR}/disable`, { password, code });
const regenerate = (person: Caller, code: unknown) => person.post(`${FACTOR}/recovery-codes`, { code });

/** Renders the SVG's path to pixels and decodes the QR code. Each subpath of the SVG is one dark square. */
function readQrCode(svg: string): string {
  const size = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1]);
  const scale = 6;
  const image = {
    width: size * scale,
    height: size * scale,
    data: new Uint8Array((size * scale) ** 2 * 3).fill(255),
  };
  let [x, y] = [0, 0];
  for (const [, kind, across, down] of svg.matchAll(/([Mm])(-?\d+)[ ,]?(-?\d+)h/g)) {
    x = Number(across) + (kind === "m" ? x : 0);
    y = Number(down) + (kind === "m" ? y : 0);
    for (let row = y * scale; row < (y + 1) * scale; row += 1) {
      const start = (row * image.width + x * scale) * 3;
      image.data.fill(0, start, start + scale * 3);
    }
  }
  return decodeQR(image);
}

/** Returns the user's notifications and audit events, newest last. */
async function traces(person: Caller) {
  const told = await t.sql<{ type: string; data: unknown }>(
    "SELECT type, data FROM notifications WHERE user_id = $1 AND type <> 'WELCOME' ORDER BY id",
    [idOf(person)],
  );
  const events = await t.sql<{ action: string; metadata: unknown }>(
    `SELECT action, metadata FROM audit_events
     WHERE actor_id = $1 AND target_id = $1 AND target_type = 'user' AND organization_id IS NULL
       AND action LIKE 'TWO_FACTOR%' ORDER BY id`,
    [idOf(person)],
  );
  const mails = (await t.mailTo(person.email)).map(({ subject }) => subject);
  return { told, events, mails };
}

test("the setup of a second factor returns the secret as text, URL and QR code; the factor is enabled only by a code", async () => {
  const person = await t.person();
  const { body } = expectStatus(await setUp(person), 200);
  expect(fromBase32(body.secret)).toHaveLength(20);
  const url = new URL(body.otpauthUrl);
  expect(url.href).toStartWith("otpauth://totp/");
  const parameters = { issuer: "app.test", algorithm: "SHA1", digits: "6", period: "30" };
  expect(Object.fromEntries(url.searchParams)).toEqual({ ...parameters, secret: body.secret });
  expect(decodeURIComponent(url.pathname)).toEndWith(`app.test:${person.email}`);
  expect(body.qrCode).toStartWith("data:image/svg+xml;base64,");
  expect(readQrCode(Buffer.from(body.qrCode.split(",")[1], "base64").toString())).toBe(body.otpauthUrl);

  const off = { enabled: false, enabledAt: null, recoveryCodesLeft: 0, methods: [] };
  expect((await person.get(FACTOR)).body).toEqual(off);
  expect((await person.get("/api/profile")).body.twoFactorEnabled).toBe(false);
  expect(expectStatus(await person.login(), 200).body.accessToken).toBeString();
  expect(await traces(person)).toEqual({ told: [], events: [], mails: [] });
});

test("a new setup replaces the unconfirmed secret of an earlier one", async () => {
  const person = await t.person();
  const first = (await setUp(person)).body.secret;
  const { secret, code } = await withTwoFactor(t, person);
  expect(secret).not.toBe(first);
  expect(outcome(await regenerate(person, code()))).toBe("200");
});

// An unconfirmed secret is discarded: an attacker with the old password could otherwise enable the factor and lock
// the owner out.
test("an unconfirmed secret is discarded when the password changes", async () => {
  const newPassword = "a new blue yonder";
  const changes = [
    (person: Caller) =>
      person.post("/api/profile/password", { currentPassword: person.account.password, newPassword }),
    async (person: Caller) =>
      t
        .anonymous()
        .post("/api/auth/reset-password", { token: await resetToken(t, person.email), newPassword }),
  ];
  for (const change of changes) {
    const person = await t.person();
    const { secret } = (await setUp(person)).body;
    expectStatus(await change(person), 204);
    // A password reset also ends the session.
    expectStatus(await person.login(newPassword), 200);
    const code = codeOfStep(fromBase32(secret), currentStep());
    expect(outcome(await enable(person, code))).toBe("409 CONFLICT");
    expect(outcome(await setUp(person, { password: newPassword }))).toBe("200");
  }
});

test("enabling the second factor returns ten recovery codes, notifies and mails the user, and keeps the sessions", async () => {
  const person = await t.person();
  // Without the proof: the password that confirms the change is a later one.
  const liveSessions = async () => (await liveRows(t, person.email)).map((row) => ({ ...row, proof: null }));
  const sessions = await liveSessions();
  const { recoveryCodes } = await withTwoFactor(t, person);
  expect(new Set(recoveryCodes).size).toBe(10);
  for (const code of recoveryCodes) expect(code).toMatch(/^([a-z2-7]{4}-){5}[a-z2-7]{4}$/);

  const { body } = await person.get(FACTOR);
  expect(body).toEqual({
    enabled: true,
    enabledAt: expect.any(String),
    recoveryCodesLeft: 10,
    methods: ["totp"],
  });
  expect(Math.abs(Date.parse(body.enabledAt) - Date.now())).toBeLessThan(60_000);
  expect((await person.get("/api/profile")).body.twoFactorEnabled).toBe(true);
  expect(await liveSessions()).toEqual(sessions);
  expectStatus(await person.refresh(), 200);
  expect(await traces(person)).toEqual({
    told: [{ type: "TWO_FACTOR_ENABLED", data: { via: "self" } }],
    events: [{ action: "TWO_FACTOR_ENABLED", metadata: { via: "self" } }],
    mails: ["Two-factor authentication is on"],
  });
});

test("secrets and recovery codes are never stored in clear text, mailed or written to audit events", async () => {
  const { person, secret, recoveryCodes } = await withTwoFactor(t);
  const tables = [
    "two_factor_secrets",
    "two_factor_recovery_codes",
    "audit_events",
    "notifications",
    "pgboss.job",
  ];
  const stored = await Promise.all(tables.map((table) => t.sql(`SELECT x::text AS row FROM ${table} x`)));
  const everything = JSON.stringify([stored, await t.mailTo(person.email)]).toLowerCase();
  for (const hidden of [secret, ...recoveryCodes]) {
    expect(everything).not.toContain(hidden.toLowerCase());
    expect(everything).not.toContain(hidden.replaceAll("-", "").toLowerCase());
  }
});

test("disabling the second factor needs a code of the app or a recovery code, ends open challenges, and notifies and mails the user", async () => {
  for (const by of ["app", "recovery"] as const) {
    const { person, code, recoveryCodes } = await withTwoFactor(t);
    const { browser, challengeToken } = await challenge(person);
    expectStatus(await disable(person, by === "app" ? code() : recoveryCodes[3]), 204);
    const off = { enabled: false, enabledAt: null, recoveryCodesLeft: 0, methods: [] };
    expect((await person.get(FACTOR)).body).toEqual(off);
    expect(outcome(await verify(browser, { challengeToken, code: code(1) }))).toBe("401 UNAUTHENTICATED");
    expect((await person.login()).body.accessToken).toBeString();
    const { told, events, mails } = await traces(person);
    expect(told.at(-1)).toEqual({ type: "TWO_FACTOR_DISABLED", data: { via: "self" } });
    expect(events.at(-1)).toEqual({ action: "TWO_FACTOR_DISABLED", metadata: { via: "self" } });
    expect(events).toHaveLength(2);
    expect(mails.at(-1)).toBe("Two-factor authentication is off");
  }
});

test("a second factor that is enabled again has a new secret and new recovery codes", async () => {
  const old = await withTwoFactor(t);
  expectStatus(await disable(old.person, old.code()), 204);
  const { person, code } = await withTwoFactor(t, old.person);
  const dead = [old.code(1), old.recoveryCodes[0]];
  for (const one of dead) expect(outcome(await disable(person, one))).toBe("400 INVALID_TWO_FACTOR_CODE");
  expectStatus(await disable(person, code()), 204);
});

test("generating new recovery codes needs a code of the app, and replaces the old ones", async () => {
  const { person, code, recoveryCodes } = await withTwoFactor(t);
  expect(outcome(await regenerate(person, recoveryCodes[0]))).toBe("400 INVALID_TWO_FACTOR_CODE");
  const fresh = expectStatus(await regenerate(person, code()), 200).body.recoveryCodes;
  expect(new Set([...fresh, ...recoveryCodes]).size).toBe(20);
  expect((await person.get(FACTOR)).body.recoveryCodesLeft).toBe(10);
  expect((await traces(person)).events.at(-1)).toEqual({
    action: "TWO_FACTOR_RECOVERY_CODES_REGENERATED",
    metadata: { via: "self" },
  });
  expect(outcome(await disable(person, recoveryCodes[1]))).toBe("400 INVALID_TWO_FACTOR_CODE");
  expectStatus(await disable(person, fresh[1]), 204);
});

test("mails about the second factor are in the user's language", async () => {
  const person = await t.person({ language: "el" });
  const { code } = await withTwoFactor(t, person);
  expectStatus(await disable(person, code()), 204);
  const mails = (await t.mailTo(person.email)).slice(-2);
  expect(mails.map(({ subject }) => subject)).toEqual([
    "Ο έλεγχος ταυτότητας δύο παραγόντων ενεργοποιήθηκε",
    "Ο έλεγχος ταυτότητας δύο παραγόντων απενεργοποιήθηκε",
  ]);
  expect(mails.flatMap(({ links }) => links)).toEqual([
    "http://app.test/profile",
    "http://app.test/forgot-password",
  ]);
});

test("a change that does not fit the second factor's state is 409 before password and code are checked", async () => {
  const off = await t.person();
  expect(outcome(await enable(off, "123456"))).toBe("409 CONFLICT");
  expect(outcome(await disable(off, "123456"))).toBe("409 TWO_FACTOR_NOT_ENABLED");
  expect(outcome(await disable(off, "123456", "wrong"))).toBe("409 TWO_FACTOR_NOT_ENABLED");
  expect(outcome(await regenerate(off, "123456"))).toBe("409 TWO_FACTOR_NOT_ENABLED");
  const { person, code } = await withTwoFactor(t);
  expect(outcome(await setUp(person))).toBe("409 TWO_FACTOR_ALREADY_ENABLED");
  expect(outcome(await setUp(person, { password: "wrong" }))).toBe("409 TWO_FACTOR_ALREADY_ENABLED");
  expect(outcome(await enable(person, code()))).toBe("409 TWO_FACTOR_ALREADY_ENABLED");
  expect(outcome(await enable(person, "123456"))).toBe("409 TWO_FACTOR_ALREADY_ENABLED");
});

test("disabling the second factor with a wrong password or code is refused; the password is checked first", async () => {
  const person = await t.person();
  expect(outcome(await setUp(person, { password: "wrong" }))).toBe("400 INVALID_CREDENTIALS");
  const factor = await withTwoFactor(t, person);
  const wrong = wrongCode(factor);
  expect(outcome(await disable(person, factor.code(), "wrong"))).toBe("400 INVALID_CREDENTIALS");
  expect(outcome(await disable(person, wrong, "wrong"))).toBe("400 INVALID_CREDENTIALS");
  for (const code of [wrong, "12345", "1234567", "abcdef", "k3tq-7xwm-2zlp-v5ha-9c4r-ynbd"])
    expect(outcome(await disable(person, code))).toBe("400 INVALID_TWO_FACTOR_CODE");
  expect(outcome(await regenerate(person, wrong))).toBe("400 INVALID_TWO_FACTOR_CODE");
  // The refusals did not consume the correct code.
  expectStatus(await disable(person, factor.code()), 204);
});

test("codes of the app and recovery codes are accepted with spaces", async () => {
  const { person, code, rewind, recoveryCodes } = await withTwoFactor(t);
  const spaced = code().replace(/^.{3}/, " $& ");
  expectStatus(await regenerate(person, spaced), 200);
  await rewind();
  const lastOf = async () =>
    expectStatus(await regenerate(person, code()), 200).body.recoveryCodes[0] as string;
  expect(recoveryCodes).toHaveLength(10);
  const typed = (await lastOf()).toUpperCase().replaceAll("-", " ");
  expectStatus(await disable(person, ` ${typed} `), 204);
});

test("the setup of a second factor needs the password only for accounts that have one", async () => {
  const [person, thirdParty] = [await t.person(), await t.person()];
  await t.sql("UPDATE users SET password_hash = NULL WHERE email = $1", [thirdParty.email]);
  expect(messages(await setUp(person, {}))).toEqual(["password is required"]);
  const { code } = await withTwoFactor(t, thirdParty);
  expectStatus(await thirdParty.post(`${FACTOR}/disable`, { code: code() }), 204);
  // The mail must not mention a password.
  const [mailed] = (await t.mailTo(thirdParty.email)).slice(-1);
  expect(mailed?.text).toContain("Signing in no longer asks for a code.");
  expectStatus(await setUp(thirdParty, {}), 200);
  expectStatus(await setUp(thirdParty, { password: "whatever" }), 200);
});

test("invalid input to the routes of the second factor is 400 in every state of the factor", async () => {
  const person = await t.person();
  const asked: [Promise<ApiResponse>, string[]][] = [
    [
      setUp(person, { password: 1, extra: 1 }),
      ["password must be a string", "property extra should not exist"],
    ],
    [setUp(person, { password: "" }), ["password should not be empty"]],
    [setUp(person, { password: null }), ["password must be a string"]],
    [setUp(person, []), ["body must be an object"]],
    [enable(person, undefined), ["code is required"]],
    [enable(person, 123_456), ["code must be a string"]],
    [enable(person, " "), ["code should not be empty"]],
    [enable(person, "1".repeat(65)), ["code must be shorter than or equal to 64 characters"]],
    [enable(person, "123\u0007456"), ["code must not contain control characters"]],
    [disable(person, null, 1), ["password must be a string", "code must be a string"]],
    [
      disable(person, undefined, "x".repeat(1001)),
      ["password must be shorter than or equal to 1000 characters", "code is required"],
    ],
    [regenerate(person, ["123456"]), ["code must be a string"]],
    [
      person.post(`${FACTOR}/recovery-codes`, { code: "123456", password: "x" }),
      ["property password should not exist"],
    ],
    [person.get(`${FACTOR}?x=1`), ["property x should not exist"]],
  ];
  for (const [response, expected] of asked) expect(messages(await response)).toEqual(expected);
});

test("the routes of the second factor are 401 for a deleted account", async () => {
  const person = await t.person();
  await t.sql("UPDATE users SET is_deleted = true, deleted_at = now() WHERE email = $1", [person.email]);
  const responses = [
    await person.get(FACTOR),
    await setUp(person),
    await enable(person, "123456"),
    await disable(person, "123456"),
    await regenerate(person, "123456"),
  ];
  for (const response of responses) expect(outcome(response)).toBe("401 UNAUTHENTICATED");
});
