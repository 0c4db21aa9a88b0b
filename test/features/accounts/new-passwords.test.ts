import { expect, test } from "bun:test";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";
import { resetToken } from "../../support/sessions.ts";

const t = await startService();

const register = (password: unknown, email = uniqueEmail()) =>
  t.anonymous().post("/api/auth/register", { email, password, firstName: "Ada", lastName: "Lovelace" });
const messages = (answer: { body: { errors?: { path: string; message: string }[] } }) =>
  answer.body.errors?.map(({ path, message }) => `${path}: ${message}`);

const GREEK = "Ένα πολύ μεγάλο γαλάζιο";

test("a password matches in composed and decomposed form, wherever it is set or used", async () => {
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
