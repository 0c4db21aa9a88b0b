import { expect, test } from "bun:test";
import { createOrganization } from "../../support/organizations.ts";
import { sharedService, uniqueEmail } from "../../support/service.ts";

const t = await sharedService();
const GOOD = { password: "wide blue yonder", firstName: "Ada", lastName: "Lovelace" };

const register = (fields: Record<string, unknown>) =>
  t.anonymous().post("/api/auth/register", { email: uniqueEmail(), ...GOOD, ...fields });
const refusals = async (fields: Record<string, unknown>) =>
  (await register(fields)).body.errors?.map(({ message }: { message: string }) => message) ?? [];
const storedName = async (email: string) =>
  (await t.sql<{ first_name: string }>("SELECT first_name FROM users WHERE email = $1", [email]))[0]
    ?.first_name;

test("a name is trimmed and otherwise unchanged", async () => {
  const email = uniqueEmail();
  await register({ email, firstName: "  Ada  Mary \u00a0" });
  expect(await storedName(email)).toBe("Ada  Mary");
});

test("a blank name is empty", async () => {
  for (const firstName of ["", " ", "\u00a0\u3000"])
    expect(await refusals({ firstName })).toEqual(["firstName should not be empty"]);
});

test("a name must not contain control characters", async () => {
  for (const code of [0x00, 0x07, 0x09, 0x0a, 0x0d, 0x1b, 0x7f, 0x85, 0x9f]) {
    const found = await refusals({ lastName: `A${String.fromCharCode(code)}B` });
    expect([code, found.at(-1)]).toEqual([code, "lastName must not contain control characters"]);
  }
});

test("a control character at either end of a name is refused, not trimmed", async () => {
  for (const end of ["\t", "\n", "\r\n", "\u000b", "\u2028", "\u2029"]) {
    for (const firstName of [`Ada${end}`, `${end}Ada`, ` ${end}Ada`, end])
      expect([firstName, await refusals({ firstName })]).toEqual([
        firstName,
        ["firstName must not contain control characters"],
      ]);
  }
});

/** Bidirectional embedding, override and isolate characters. */
const REORDERING = [0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069];
const MARKS = [0x061c, 0x200e, 0x200f];

test("a name must not contain line separators or characters that reorder the surrounding text", async () => {
  for (const code of [0x2028, 0x2029, ...REORDERING]) {
    const found = await refusals({ lastName: `A${String.fromCharCode(code)}B` });
    expect([code, found]).toEqual([code, ["lastName must not contain control characters"]]);
  }
});

test("a long text must not contain characters that reorder the surrounding text", async () => {
  const { admin } = await createOrganization(t);
  const send = async (description: string) =>
    (await admin.post("/api/roles", { name: crypto.randomUUID(), permissions: [], description })).body;
  for (const code of REORDERING) {
    const { message } = await send(`A${String.fromCharCode(code)}B`);
    expect([code, message]).toEqual([code, "description must not contain control characters"]);
  }
  for (const description of [...MARKS.map((code) => `A${String.fromCharCode(code)}B`), "A\n\tB"])
    expect((await send(description)).description).toBe(description);
});

test("names and titles may contain bidirectional marks, but a name of marks only is empty", async () => {
  for (const code of MARKS) {
    const mark = String.fromCharCode(code);
    const email = uniqueEmail();
    const firstName = `דוד${mark} (${mark}Ada)`;
    expect((await register({ email, firstName })).status).toBe(202);
    expect(await storedName(email)).toBe(firstName);
    expect(await refusals({ firstName: mark })).toEqual(["firstName should not be empty"]);
  }
});

test("a name of invisible characters is empty", async () => {
  const invisible = [
    "\u200b",
    "\u200b \u200d\ufe0f",
    "\u00ad\u2060",
    "\u3164\u115f",
    "\u2800",
    "\ufeff",
    "\u{e0041}",
  ];
  for (const firstName of invisible)
    expect([firstName, await refusals({ firstName })]).toEqual([
      firstName,
      ["firstName should not be empty"],
    ]);
});

test("names in every script are kept unchanged, including joiners and combining marks", async () => {
  const names = [
    "علی\u200cرضا",
    "क्\u200dष",
    "👩\u200d👩\u200d👧\ufe0f",
    "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "Παπαδόπουλος",
    "Nguyễn",
    "李小龍",
    "ᠮᠣᠩᠭ\u180bᠣᠯ",
    "דָּוִד",
    "a\u0301",
    "O’Brien-Smith",
    "김",
  ];
  for (const firstName of names) {
    const email = uniqueEmail();
    expect([firstName, (await register({ email, firstName })).status]).toEqual([firstName, 202]);
    expect(await storedName(email)).toBe(firstName);
  }
});

test("a name with a very long run of spaces is rejected as fast as one of letters", async () => {
  const timeOf = async (firstName: string) => {
    const started = performance.now();
    expect(await refusals({ firstName })).toHaveLength(1);
    return performance.now() - started;
  };
  const times = { spaces: [] as number[], letters: [] as number[] };
  for (let round = 0; round < 5; round += 1) {
    times.spaces.push(await timeOf(`x${" ".repeat(90_000)}x`));
    times.letters.push(await timeOf("x".repeat(90_002)));
  }
  // Quadratic time would be thousands of times longer.
  expect(Math.min(...times.spaces) / Math.min(...times.letters)).toBeLessThan(20);
});

test("the maximum length of a name counts code points", async () => {
  expect((await register({ firstName: "😀".repeat(100) })).status).toBe(202);
  const tooLong = ["firstName must be shorter than or equal to 100 characters"];
  expect(await refusals({ firstName: "😀".repeat(101) })).toEqual(tooLong);
  expect((await register({ firstName: "x".repeat(100) })).status).toBe(202);
  expect(await refusals({ firstName: "x".repeat(101) })).toEqual(tooLong);
  expect(await refusals({ firstName: "x".repeat(90_000) })).toEqual(tooLong);
});

test("the minimum and maximum length of a password count code points", async () => {
  const tooShort = ["password must be longer than or equal to 10 characters"];
  expect(await refusals({ password: "😀🎈".repeat(3) })).toEqual(tooShort);
  expect(await refusals({ password: `${"😀🎈".repeat(4)}x` })).toEqual(tooShort);
  expect((await register({ password: "😀🎈".repeat(5) })).status).toBe(202);
  expect((await register({ password: "😀🎈".repeat(100) })).status).toBe(202);
  expect(await refusals({ password: `${"😀🎈".repeat(100)}x` })).toEqual([
    "password must be shorter than or equal to 200 characters",
  ]);
});

test("an email is trimmed and lower-cased", async () => {
  const email = uniqueEmail();
  const response = await register({ email: `  ${email.toUpperCase()} ` });
  expect([response.status, response.body.email]).toEqual([202, email]);
  expect((await register({ email })).body.code).toBe("EMAIL_TAKEN");
});

test("an email with a control character at either end is invalid", async () => {
  for (const end of ["\t", "\n", "\r", "\u2028", "\u200e", "\u200b"]) {
    for (const email of [uniqueEmail() + end, end + uniqueEmail()])
      expect([email, await refusals({ email })]).toEqual([email, ["email must be an email"]]);
  }
});

test("an email has at most 254 characters", async () => {
  const domain = "@example.com";
  const local = `${crypto.randomUUID()}${"a".repeat(254)}`;
  expect((await register({ email: local.slice(0, 254 - domain.length) + domain })).status).toBe(202);
  expect(await refusals({ email: local.slice(0, 255 - domain.length) + domain })).toEqual([
    "email must be shorter than or equal to 254 characters",
  ]);
});

test("an email with a non-ASCII letter that lower-cases to an ASCII letter is rejected", async () => {
  // KELVIN SIGN lower-cases to k, LONG S upper-cases to S, and capital sigma has two lower-case forms.
  for (const local of ["\u212aate", "je\u017fus", "ΟΔΟΣ", "ı", "İ"])
    expect(await refusals({ email: `${local}@example.com` })).toEqual(["email must be an email"]);
});

test("text that is not an address is rejected as an email", async () => {
  const wrong = [
    "",
    " ",
    "ada",
    "ada@",
    "@example.com",
    "ada@example",
    "ada lovelace@example.com",
    '"ada lovelace"@example.com',
    "ada@example.com\r\nBcc: eve@example.com",
    "ada@example.com,eve@example.com",
    "Ada <ada@example.com>",
    "ada@[127.0.0.1]",
    "ada..lovelace@example.com",
    "ada@-example.com",
    "ada@exa_mple.com",
    "ada@example.com.",
    "ada@@example.com",
  ];
  for (const email of wrong)
    expect([email, await refusals({ email })]).toEqual([email, ["email must be an email"]]);
});

test("unusual but valid email addresses are accepted", async () => {
  const id = crypto.randomUUID();
  for (const email of [`o'brien+tag_${id}@example.co.uk`, `${id}@xn--bcher-kva.example`, `1${id}@1.example`])
    expect([email, (await register({ email })).status]).toEqual([email, 202]);
});

test("the violation of each field states the expected value", async () => {
  const response = await t.anonymous().post("/api/auth/register", { firstName: null, language: "fr" });
  expect(response.body.errors.map(({ message }: { message: string }) => message)).toEqual([
    "email is required",
    "password is required",
    "firstName must be a string",
    "lastName is required",
    "language must be one of the following values: el, en",
  ]);
});
