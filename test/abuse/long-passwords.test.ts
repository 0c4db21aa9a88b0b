import { expect, test } from "bun:test";
import { messages } from "../support/outcomes.ts";
import { sharedService, uniqueEmail } from "../support/service.ts";

/*
 * Unicode allows any number of combining marks on a letter, and normalization sorts them in quadratic time. So the
 * length of a password is checked before it is normalized.
 */
const t = await sharedService();

const MARKS = 48_000;
/** Two texts with the same number of bytes: marks in the worst order for normalization, and composed letters. */
const marked = `a${"\u0345\u0301\u0323".repeat(MARKS / 3)}`;
const plain = "é".repeat(MARKS);

const names = { firstName: "Ada", lastName: "Lovelace" };
const person = await t.person();
const { email } = person;
const current = person.account.password;
const NEW = "shorter than or equal to 200 characters";
const ENTERED = "shorter than or equal to 1000 characters";

const ways: [string, (password: string) => ReturnType<typeof person.post>, string][] = [
  [
    "register",
    (password) => t.anonymous().post("/api/auth/register", { email: uniqueEmail(), password, ...names }),
    NEW,
  ],
  ["login", (password) => t.anonymous().post("/api/auth/login", { email, password }), ENTERED],
  [
    "reset",
    (newPassword) => t.anonymous().post("/api/auth/reset-password", { token: "dead", newPassword }),
    NEW,
  ],
  [
    "accept",
    (password) => t.anonymous().post("/api/auth/accept-invitation", { token: "dead", password, ...names }),
    NEW,
  ],
  [
    "a new password",
    (newPassword) => person.post("/api/profile/password", { currentPassword: current, newPassword }),
    NEW,
  ],
  [
    "the old password",
    (currentPassword) =>
      person.post("/api/profile/password", { currentPassword, newPassword: "a new blue yonder" }),
    ENTERED,
  ],
  ["deletion", (password) => person.post("/api/profile/delete", { password }), ENTERED],
  ["2FA set-up", (password) => person.post("/api/profile/2fa/setup", { password }), ENTERED],
  ["2FA off", (password) => person.post("/api/profile/2fa/disable", { password, code: "123456" }), ENTERED],
  ["linking", (password) => person.post("/api/profile/identities/acme", { password }), ENTERED],
  [
    "names",
    (firstName) => person.patch("/api/profile", { firstName }),
    "shorter than or equal to 100 characters",
  ],
  [
    "emails",
    (other) => t.anonymous().post("/api/auth/forgot-password", { email: other }),
    "shorter than or equal to 254 characters",
  ],
];

test.each(ways)(
  "%s: 48,000 combining marks are refused as fast as 48,000 letters",
  async (_way, send, complaint) => {
    const times = { marked: [] as number[], plain: [] as number[] };
    for (let round = 0; round < 5; round += 1) {
      for (const [kind, text] of [
        ["plain", plain],
        ["marked", marked],
      ] as const) {
        const started = performance.now();
        const response = await send(text);
        times[kind].push(performance.now() - started);
        expect(response.status).toBe(400);
        expect(messages(response).join()).toContain(complaint);
      }
      // Without the check one round takes seconds, so further rounds are not needed.
      if (Math.min(...times.marked) > 1_000) break;
    }
    expect(Math.min(...times.marked) / Math.min(...times.plain)).toBeLessThan(20);
  },
);

test("a password of 200 decomposed letters with the most marks is accepted", async () => {
  const password = "\u1f82".repeat(200).normalize("NFD");
  expect(password.length).toBe(800);
  const response = await t
    .anonymous()
    .post("/api/auth/register", { email: uniqueEmail(), password, ...names });
  expect(response.status).toBe(202);
});
