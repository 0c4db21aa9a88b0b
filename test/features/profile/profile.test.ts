import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { accept, invited } from "../../support/invitations.ts";
import { holdEvents } from "../../support/locks.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf, messages, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";
import { inAnotherBrowser, liveRows, sameBrowser } from "../../support/sessions.ts";

const t = await sharedService();
const newPassword = "a new blue yonder";
const change = (person: Caller, body: Record<string, unknown> = {}) =>
  person.post("/api/profile/password", { currentPassword: person.account.password, newPassword, ...body });
const eventsOf = async (person: Caller) =>
  t.sql<{ action: string; metadata: unknown }>(
    "SELECT action, metadata FROM audit_events WHERE actor_id = $1 AND action NOT LIKE 'LOGIN%' ORDER BY id",
    [idOf(person)],
  );

test("a profile change sets only the sent names and language, without an audit event", async () => {
  const person = await t.person();
  const before = (await person.get("/api/profile")).body;
  const first = expectStatus(await person.patch("/api/profile", { firstName: "  Grace " }), 200).body;
  expect(first).toEqual({ ...before, firstName: "Grace" });
  const second = await person.patch("/api/profile", { lastName: "Hopper", language: "el" });
  expect(second.body).toEqual({ ...first, lastName: "Hopper", language: "el" });
  expect((await person.get("/api/profile")).body).toEqual(second.body);
  expect(await eventsOf(person)).toEqual([]);

  expectStatus(await change(person), 204);
  expect((await t.mailTo(person.email)).at(-1)?.subject).toBe("Ο κωδικός πρόσβασής σας άλλαξε");
});

test("invalid and read-only fields of a profile change are refused by name", async () => {
  const person = await t.person();
  const cases: [unknown, string[]][] = [
    [
      { firstName: " ", lastName: "x".repeat(101), language: "fr" },
      [
        "firstName should not be empty",
        "lastName must be shorter than or equal to 100 characters",
        "language must be one of the following values: el, en",
      ],
    ],
    [{ firstName: null }, ["firstName must be a string"]],
    [{ lastName: "a\u0007b" }, ["lastName must not contain control characters"]],
    [
      { email: "other@example.com", isPlatformAdmin: true },
      ["property email should not exist", "property isPlatformAdmin should not exist"],
    ],
  ];
  for (const [body, expected] of cases)
    expect(messages(await person.patch("/api/profile", body))).toEqual(expected);
  expectStatus(await person.patch("/api/profile", { firstName: "🦜".repeat(100) }), 200);
});

test("changing the password ends all other sessions, keeps the current one, writes an audit event and mails the user", async () => {
  const person = await t.person();
  const other = await inAnotherBrowser(person);
  const stale = sameBrowser(other);
  expectStatus(await other.refresh(), 200);
  const anonymous = await t.person();
  expectStatus(await change(person), 204);

  expect(await liveRows(t, person.email)).toHaveLength(1);
  for (const ended of [other, stale]) {
    const refreshed = await ended.refresh();
    expect([outcome(refreshed), refreshed.cookie]).toEqual(["401 INVALID_REFRESH_TOKEN", ""]);
  }
  expectStatus(await person.refresh(), 200);
  expectStatus(await anonymous.refresh(), 200);
  expect(outcome(await person.login())).toBe("401 INVALID_CREDENTIALS");
  expectStatus(await person.login(newPassword), 200);

  expect(await eventsOf(person)).toEqual([{ action: "PASSWORD_CHANGED", metadata: {} }]);
  const told = "SELECT data FROM notifications WHERE user_id = $1 AND type = 'PASSWORD_CHANGED'";
  expect(await t.sql(told, [idOf(person)])).toEqual([{ data: { via: "change" } }]);
  const mail = (await t.mailTo(person.email)).at(-1);
  expect(mail?.subject).toBe("Your password was changed");
  expect(mail?.links).toEqual(["http://app.test/forgot-password"]);
});

test("a password change with a wrong current password changes nothing", async () => {
  const person = await t.person();
  const other = await inAnotherBrowser(person);
  expect(outcome(await change(person, { currentPassword: "wrong" }))).toBe("400 INVALID_CREDENTIALS");
  expectStatus(await other.refresh(), 200);
  expectStatus(await person.login(), 200);
  expect(await eventsOf(person)).toEqual([]);
});

test("a password change validates the new password before it checks the current one", async () => {
  const person = await t.person();
  const cases: [Record<string, unknown>, string[]][] = [
    [
      { currentPassword: undefined, newPassword: undefined },
      ["currentPassword is required", "newPassword is required"],
    ],
    [
      { currentPassword: "", newPassword: "short" },
      ["currentPassword should not be empty", "newPassword must be longer than or equal to 10 characters"],
    ],
    [
      { currentPassword: 1, newPassword: "x".repeat(201) },
      ["currentPassword must be a string", "newPassword must be shorter than or equal to 200 characters"],
    ],
    [{ currentPassword: "wrong", newPassword: "1234567890" }, ["newPassword must not be a common password"]],
    [{ currentPassword: "wrong", newPassword: person.email }, ["newPassword must not be the email address"]],
    [{ newPassword: person.email.toUpperCase() }, ["newPassword must not be the email address"]],
    [{ password: "x" }, ["property password should not exist"]],
  ];
  for (const [body, expected] of cases) expect(messages(await change(person, body))).toEqual(expected);
  expect(await t.sql("SELECT FROM failed_attempts WHERE user_id = $1", [idOf(person)])).toEqual([]);
  expectStatus(await change(person), 204);
});

test("a changed password matches in composed and decomposed Unicode form", async () => {
  const person = await t.person({ password: "Ένα πολύ μεγάλο γαλάζιο".normalize("NFD") });
  const currentPassword = person.account.password.normalize("NFC");
  expectStatus(await change(person, { currentPassword, newPassword: "Άλλο γαλάζιο".normalize("NFD") }), 204);
  expectStatus(await person.login("Άλλο γαλάζιο".normalize("NFC")), 200);
});

test("an account without a password cannot set one by a password change, only by a reset mail", async () => {
  const person = await t.person();
  await t.sql("UPDATE users SET password_hash = NULL WHERE email = $1", [person.email]);
  expect(outcome(await change(person))).toBe("409 CONFLICT");
});

test("a deleted account's profile cannot be changed", async () => {
  const person = await t.person();
  await t.sql("UPDATE users SET is_deleted = true, deleted_at = now() WHERE email = $1", [person.email]);
  const responses = [
    await person.get("/api/profile"),
    await person.patch("/api/profile", { firstName: "Grace" }),
    await person.patch("/api/profile", {}),
    await change(person),
    await person.post("/api/profile/delete", { password: person.account.password }),
    await person.get("/api/profile/sessions"),
    await person.delete("/api/profile/sessions"),
    await person.delete(`/api/profile/sessions/${crypto.randomUUID()}`),
  ];
  for (const response of responses) expect(outcome(response)).toBe("401 UNAUTHENTICATED");
});

/* Each test fails if src/features/profile/service.ts does not lock the user. */
const rename = (person: Caller, lastName: string) => person.patch("/api/profile", { lastName });

test("a user who changes their name while accepting an invitation is found in the organization by the new name", async () => {
  const org = await createOrganization(t);
  const person = await t.person();
  const { token } = await invited(t, org.admin, { email: person.email });
  const events = await holdEvents(t);
  const accepted = accept(person, { token });
  const renamed = events.waiting(1).then(() => rename(person, "Zuckerwatte"));
  // The change waits for the acceptance. Without the lock it would finish first.
  await Promise.race([renamed, events.waiting(2)]).finally(() => events.release());
  expectStatus(await accepted, 204);
  expectStatus(await renamed, 200);
  const found = expectStatus(await org.admin.get("/api/members?search=zuckerwatte"), 200).body;
  expect(found.data.map((member: { lastName: string }) => member.lastName)).toEqual(["Zuckerwatte"]);
});

test("a change of the name takes the user's lock before it locks a row, so it cannot deadlock with the account's deletion", async () => {
  const org = await createOrganization(t);
  const person = await org.member();
  const events = await holdEvents(t);
  const deleted = person.post("/api/profile/delete", { password: person.account.password });
  const renamed = events.waiting(1).then(() => rename(person, "Zuckerwatte"));
  const waiting = await events.waiting(2).finally(() => events.release());
  // Waiting for "transactionid" would mean a row lock of the other transaction, and so a deadlock.
  expect(waiting).toEqual(["relation", "advisory"]);
  expectStatus(await deleted, 204);
  expectStatus(await renamed, 401);
});
