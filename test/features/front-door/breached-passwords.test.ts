import { afterAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { startRangeService } from "../../../src/dev/range-service.ts";
import { counter, hasAccount, register } from "../../support/front-door.ts";
import { accept, invited, NEW_ACCOUNT } from "../../support/invitations.ts";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";
import { resetToken } from "../../support/sessions.ts";

const LISTED = "a breached blue yonder";
const PADDED = "a padded blue yonder";
const range = startRangeService({
  listed: new Map([
    [LISTED, 7],
    [PADDED, 0],
  ]),
});
afterAll(() => range.stop());
const t = await startService({ BREACHED_PASSWORDS_URL: range.url, METRICS_PORT: "0" });
const prefixOf = (password: string) =>
  createHash("sha1").update(password).digest("hex").slice(0, 5).toUpperCase();
const violation = (path: string) => ({ path, message: `${path} must not be a password from a data breach` });
const password = () => `an unlisted yonder ${crypto.randomUUID()}`;

test("a listed password is 400 wherever one is chosen, and uses up no link; only five digits of its digest leave", async () => {
  const email = uniqueEmail();
  const refused = expectStatus(await register(t, email, { password: LISTED }), 400);
  expect([refused.body.code, refused.body.errors]).toEqual(["VALIDATION_FAILED", [violation("password")]]);
  expect(await hasAccount(t, email)).toBe(false);

  const { admin } = await createOrganization(t);
  const { token } = await invited(t, admin);
  const body = { token, ...NEW_ACCOUNT };
  expect((await accept(t.anonymous(), { ...body, password: LISTED })).body.errors).toEqual([
    violation("password"),
  ]);
  expectStatus(await accept(t.anonymous(), { ...body, password: password() }), 204);

  const person = await t.person();
  const link = await resetToken(t, person.email);
  const reset = (newPassword: string) =>
    t.anonymous().post("/api/auth/reset-password", { token: link, newPassword });
  expect((await reset(LISTED)).body.errors).toEqual([violation("newPassword")]);
  const chosen = password();
  expectStatus(await reset(chosen), 204);

  expectStatus(await person.login(chosen), 200);
  const change = (newPassword: string) =>
    person.post("/api/profile/password", { currentPassword: chosen, newPassword });
  expect((await change(LISTED)).body.errors).toEqual([violation("newPassword")]);
  expectStatus(await change(password()), 204);

  expect(range.asked.length).toBeGreaterThan(0);
  expect(range.asked[0]).toEqual({ prefix: prefixOf(LISTED), padding: "true" });
  for (const { prefix } of range.asked) expect(prefix).toMatch(/^[0-9A-F]{5}$/);
});

test("answers are kept, a row with the count 0 is padding, and a password that is refused otherwise is not looked up", async () => {
  range.asked.length = 0;
  expectStatus(await register(t, uniqueEmail(), { password: LISTED }), 400);
  expect(range.asked).toEqual([]);
  expectStatus(await register(t, uniqueEmail(), { password: PADDED }), 202);
  expect(range.asked).toHaveLength(1);
  range.asked.length = 0;
  for (const refused of ["short", "password123", "Lovelace Ada 1815"])
    expectStatus(await register(t, uniqueEmail(), { password: refused }), 400);
  const person = await t.person({ password: LISTED });
  expectStatus(await person.login(), 200);
  expect((await person.login("not the password")).status).toBe(401);
  expect(range.asked).toEqual([]);
});

const SLOW_MS = 3_000;
test("a service that is slow, fails or answers something else allows the password, which is counted", async () => {
  const answers: (() => Response | Promise<Response>)[] = [
    async () => {
      await Bun.sleep(SLOW_MS);
      return new Response("");
    },
    () => new Response("", { status: 500 }),
    () => new Response("<html>no range</html>"),
    () => new Response("0".repeat(2 * 1024 * 1024)),
  ];
  for (const answer of answers) {
    const failed = async () => (await counter(t, "breached_password_checks_total"))["outcome=failed"] ?? 0;
    const before = await failed();
    range.answer = answer;
    const began = performance.now();
    expectStatus(await register(t, uniqueEmail(), { password: password() }), 202);
    expect(performance.now() - began).toBeLessThan(SLOW_MS);
    range.answer = null;
    expect(await failed()).toBe(before + 1);
  }
  const counts = await counter(t, "breached_password_checks_total");
  expect(counts["outcome=listed"]).toBeGreaterThan(0);
  expect(counts["outcome=clear"]).toBeGreaterThan(0);
});
