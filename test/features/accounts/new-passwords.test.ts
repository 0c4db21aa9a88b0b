import { expect, test } from "bun:test";
import { invited } from "../../support/invitations.ts";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";
import { resetToken } from "../../support/sessions.ts";

const t = await startService({ MAIL_FROM: "Turing Machines <no-reply@app.test>" });

const register = (password: unknown, email = uniqueEmail()) =>
  t.anonymous().post("/api/auth/register", { email, password, firstName: "Ada", lastName: "Lovelace" });
const messages = (response: { body: { errors?: { path: string; message: string }[] } }) =>
  response.body.errors?.map(({ path, message }) => `${path}: ${message}`);

const GREEK = "Ένα πολύ μεγάλο γαλάζιο";

test("a password matches in composed and decomposed Unicode form, on every route that sets or checks one", async () => {
  const composed = GREEK.normalize("NFC");
  const decomposed = GREEK.normalize("NFD");
  expect(composed).not.toBe(decomposed);

  const person = await t.person({ password: decomposed });
  for (const password of [composed, decomposed]) expectStatus(await person.login(password), 200);

  const token = await resetToken(t, person.email);
  const newPassword = `${composed} ακόμη`;
  expectStatus(await person.post("/api/auth/reset-password", { token, newPassword }), 204);
  for (const form of ["NFC", "NFD"] as const)
    expectStatus(await person.login(newPassword.normalize(form)), 200);
});

test("spaces and letter case in a password are significant", async () => {
  const person = await t.person({ password: "  Wide Blue Yonder " });
  expectStatus(await person.login(), 200);
  for (const password of ["Wide Blue Yonder", "  wide blue yonder "])
    expect((await person.login(password)).status).toBe(401);
});

test("10 to 200 characters are allowed, counted as code points of the composed form", async () => {
  for (const password of ["🦜".repeat(10), "🦜".repeat(200), "e\u0301".repeat(200), "x y".repeat(66)])
    expectStatus(await register(password), 202);
  for (const password of ["", "🦜".repeat(9), "e\u0301".repeat(9)])
    expect(messages(await register(password))).toEqual([
      "password: password must be longer than or equal to 10 characters",
    ]);
  for (const password of ["🦜".repeat(201), "e\u0301".repeat(201)])
    expect(messages(await register(password))).toEqual([
      "password: password must be shorter than or equal to 200 characters",
    ]);
});

test("a common password is rejected in any case", async () => {
  for (const password of ["1234567890", "Qwertyuiop", "PASSWORD123"])
    expect(messages(await register(password))).toEqual(["password: password must not be a common password"]);
});

test("the account's own email is rejected as its password, in any case", async () => {
  const email = uniqueEmail();
  for (const password of [email, email.toUpperCase(), ` ${email} `])
    expect(messages(await register(password, email))).toEqual([
      "password: password must not be the email address",
    ]);
  const person = await t.person({ email });
  const token = await resetToken(t, email);
  const refused = await person.post("/api/auth/reset-password", { token, newPassword: email.toUpperCase() });
  expect(messages(refused)).toEqual(["newPassword: newPassword must not be the email address"]);
});

const NAMES_ALONE = "must not be made of the account's or the service's names alone";

test("a password made only of the account's and the service's names is rejected on every route that sets one", async () => {
  const email = `ada.lovelace+${crypto.randomUUID().slice(0, 8)}@analytical.example`;
  for (const password of [
    "Ada-Lovelace-1815",
    "lovelace!lovelace",
    "Analytical 2026",
    "ada.turing.2026",
    "ÀDÁ 1234567890",
  ])
    expect(messages(await register(password, email))).toEqual([`password: password ${NAMES_ALONE}`]);

  const person = await t.person();
  const newPassword = "Ada Lovelace 1815";
  const changed = await person.post("/api/profile/password", {
    currentPassword: person.account.password,
    newPassword,
  });
  const token = await resetToken(t, person.email);
  const reset = await person.post("/api/auth/reset-password", { token, newPassword });
  for (const refused of [changed, reset])
    expect(messages(refused)).toEqual([`newPassword: newPassword ${NAMES_ALONE}`]);
  expectStatus(
    await person.post("/api/auth/reset-password", { token, newPassword: "Ada Lovelace was here" }),
    204,
  );

  const { admin } = await createOrganization(t);
  const { token: invitation } = await invited(t, admin);
  const accepted = await t.anonymous().post("/api/auth/accept-invitation", {
    token: invitation,
    password: "grace.hopper.1906",
    firstName: "Grace",
    lastName: "Hopper",
  });
  expect(messages(accepted)).toEqual([`password: password ${NAMES_ALONE}`]);
});

test("a password made only of names is reported together with the other violations of the request", async () => {
  const foo = "foo: property foo should not exist";
  const password = "Ada Lovelace 1815";
  const others = { password, firstName: "Ada", lastName: "Lovelace" };
  const registered = await t.anonymous().post("/api/auth/register", { email: "ada", ...others, foo: 1 });
  expect(messages(registered)).toEqual([
    "email: email must be an email",
    foo,
    `password: password ${NAMES_ALONE}`,
  ]);
  // A password that is the email address is reported once, together with its other violations.
  const email = uniqueEmail();
  expect(
    messages(await t.anonymous().post("/api/auth/register", { ...others, email, password: email, foo: 1 })),
  ).toEqual([foo, "password: password must not be the email address"]);
  expect(messages(await register("Ada"))).toEqual([
    "password: password must be longer than or equal to 10 characters",
    `password: password ${NAMES_ALONE}`,
  ]);
  expect(messages(await t.anonymous().post("/api/auth/register", { password: "", email: "" }))).toEqual([
    "email: email must be an email",
    "password: password must be longer than or equal to 10 characters",
    "firstName: firstName is required",
    "lastName: lastName is required",
  ]);

  const person = await t.person();
  const token = await resetToken(t, person.email);
  const reset = { token, newPassword: password, foo: 1 };
  const bothOfReset = [foo, `newPassword: newPassword ${NAMES_ALONE}`];
  expect(messages(await t.anonymous().post("/api/auth/reset-password", reset))).toEqual(bothOfReset);
  const dead = { ...reset, token: "dead" };
  expect(messages(await t.anonymous().post("/api/auth/reset-password", dead))).toEqual([foo]);
  const change = { currentPassword: person.account.password, newPassword: password, foo: 1 };
  expect(messages(await person.post("/api/profile/password", change))).toEqual(bothOfReset);

  const { admin } = await createOrganization(t);
  const invitation = await invited(t, admin, { email: `grace.hopper.${crypto.randomUUID()}@example.com` });
  const accepted = {
    token: invitation.token,
    password: "grace hopper 1906",
    firstName: "Grace",
    lastName: "Hopper",
  };
  expect(messages(await t.anonymous().post("/api/auth/accept-invitation", { ...accepted, foo: 1 }))).toEqual([
    foo,
    `password: password ${NAMES_ALONE}`,
  ]);
  const { lastName: _lastName, ...partly } = accepted;
  const byEmail = { ...partly, password: invitation.email };
  expect(messages(await t.anonymous().post("/api/auth/accept-invitation", byEmail))).toEqual([
    "lastName: lastName is required",
    "password: password must not be the email address",
  ]);
  expectStatus(
    await t.anonymous().post("/api/auth/reset-password", { token, newPassword: "deep green forest" }),
    204,
  );
});

test("very long names in a rejected registration are not searched in the password", async () => {
  const names = { firstName: "ab ".repeat(15_000), lastName: "cde ".repeat(10_000) };
  const body = { email: "ada", password: "ab cde ".repeat(140), ...names };
  const response = await t.anonymous().post("/api/auth/register", body);
  expect(messages(response)).not.toContain(`password: password ${NAMES_ALONE}`);
});

test("Greek names in a password are also found in upper case and joined", async () => {
  for (const password of ["ΓΙΩΡΓΟΣΠΑΠΑΣ1", "Γιώργος Παπάς", "παπαςγιωργος"]) {
    const body = { email: uniqueEmail(), firstName: "Γιώργος", lastName: "Παπάς", password };
    const response = await t.anonymous().post("/api/auth/register", body);
    expect(messages(response)).toEqual([`password: password ${NAMES_ALONE}`]);
  }
});

test("a password may contain names together with other letters, or have no letters at all", async () => {
  for (const password of [
    "Ada-password-1",
    "lovelace and byron",
    "Password123!",
    "correct horse battery 42",
    "31415926535",
  ])
    expectStatus(await register(password), 202);
});

test("a password made of placeholder names such as Test and User is accepted", async () => {
  const body = {
    email: `test-${uniqueEmail()}`,
    firstName: "Test",
    lastName: "User",
    password: "Test-User-123",
  };
  expectStatus(await t.anonymous().post("/api/auth/register", body), 202);
});

test("names that overlap in many ways do not slow down the check of a password", async () => {
  const names = { firstName: "a".repeat(99), lastName: "aaa aaaa aaaaa aaaaaa" };
  const body = { ...names, email: uniqueEmail(), password: `${"a".repeat(199)}b` };
  expectStatus(await t.anonymous().post("/api/auth/register", body), 202);
});

test("passwords that are not text (lone surrogates, NUL, other types) are 400, never 500", async () => {
  for (const password of [
    "wide blue \ud800 yonder",
    "wide blue \u0000 yonder",
    12345678901,
    null,
    ["wide blue yonder"],
  ])
    expect((await register(password)).body.code).toBe("VALIDATION_FAILED");
  const person = await t.person();
  for (const password of ["wide blue \ud800 yonder", "wide blue \u0000 yonder"])
    expect([400, 401]).toContain((await person.login(password)).status);
});
