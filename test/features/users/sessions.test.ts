import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { FEWER_ROUNDS } from "../../support/race.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { inAnotherBrowser, sameBrowser, tokenRows } from "../../support/sessions.ts";

const t = await startService();
const admin = await t.platformAdmin();
const end = (id: string, caller: Caller = admin) => caller.delete(`/api/users/${id}/sessions`);

const revocations = (sessionIds: string[]) =>
  t.sql(
    `SELECT target_id, target_type, actor_id, organization_id, metadata FROM audit_events
     WHERE action = 'SESSION_REVOKED' AND target_id = ANY ($1::text::uuid[]) ORDER BY target_id`,
    [`{${sessionIds}}`],
  );
const reuses = async (person: Caller) =>
  t.sql("SELECT FROM audit_events WHERE action = 'REFRESH_TOKEN_REUSED' AND target_id = $1", [idOf(person)]);

test("a platform administrator can end all sessions of a user, with an audit event for each and one mail", async () => {
  const person = await t.person();
  const before = sameBrowser(person);
  const [other, signedOut] = [await inAnotherBrowser(person), await inAnotherBrowser(person)];
  expectStatus(await signedOut.post("/api/auth/logout"), 204);
  expectStatus(await person.refresh(), 200);
  const live = (await person.get("/api/profile/sessions")).body.map(({ id }: { id: string }) => id);
  expect(live).toHaveLength(2);
  const all = [...new Set((await tokenRows(t, person.email)).map((row) => row.session_id))];
  expect(all).toHaveLength(3);

  expectStatus(await end(idOf(person)), 204);
  expect(await tokenRows(t, person.email)).toEqual([]);
  const event = { target_type: "session", actor_id: idOf(admin), organization_id: null };
  const metadata = { userId: idOf(person) };
  expect(await revocations(all)).toEqual(
    live.sort().map((target_id: string) => ({ target_id, ...event, metadata })),
  );
  const mails = (await t.mailTo(person.email)).map(({ subject }) => subject);
  expect(mails).toEqual(["An administrator ended all your sessions"]);

  // Neither the current cookies nor a replaced one count as token reuse.
  for (const browser of [person, other, before]) {
    const refused = await browser.refresh();
    expect([outcome(refused), refused.cookie]).toEqual(["401 INVALID_REFRESH_TOKEN", ""]);
  }
  expect(await reuses(person)).toEqual([]);
  expectStatus(await person.login(), 200);
  expectStatus(await person.refresh(), 200);
});

test("the mail about sessions that a platform administrator ended is in the user's language", async () => {
  const person = await t.person({ language: "el" });
  expectStatus(await end(idOf(person)), 204);
  expect((await t.mailTo(person.email)).map(({ subject }) => subject)).toEqual([
    "Ένας διαχειριστής τερμάτισε όλες τις συνεδρίες σας",
  ]);
});

test("ending the sessions of a user without sessions writes no audit event and sends no mail", async () => {
  const person = await t.person();
  const [row] = await tokenRows(t, person.email);
  await t.age("refresh_tokens", { user_id: idOf(person) }, { days: 8 });
  for (let round = 0; round < 2; round += 1) expectStatus(await end(idOf(person)), 204);
  expect(await tokenRows(t, person.email)).toEqual([]);
  expect(await revocations([row?.session_id ?? ""])).toEqual([]);
  expect(await t.mailTo(person.email)).toEqual([]);
});

test("a platform administrator can end all of their own sessions, including the current one", async () => {
  const own = await t.platformAdmin();
  const other = await inAnotherBrowser(own);
  expectStatus(await end(idOf(own), own), 204);
  for (const browser of [own, other])
    expect(outcome(await browser.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
});

test("ending the sessions of one user keeps those of other users", async () => {
  const org = await createOrganization(t);
  const [one, other] = [await org.member(), await org.member()];
  expectStatus(await end(idOf(one)), 204);
  expectStatus(await other.refresh(), 200);
});

test("ending the sessions of an unknown or deleted user is 404, after authorization and validation", async () => {
  const { admin: founder } = await createOrganization(t);
  const deleted = await t.person();
  const id = idOf(deleted);
  expectStatus(await deleted.post("/api/profile/delete", { password: deleted.account.password }), 204);
  for (const nobody of [id, crypto.randomUUID()]) expect(outcome(await end(nobody))).toBe("404 NOT_FOUND");
  expect(outcome(await end("nobody"))).toBe("400 VALIDATION_FAILED");
  expect(outcome(await admin.delete(`/api/users/${id}/sessions?all=true`))).toBe("400 VALIDATION_FAILED");
  expect(outcome(await end("nobody", founder))).toBe("403 PLATFORM_ADMIN_REQUIRED");
  expect(outcome(await end(idOf(founder), founder))).toBe("403 PLATFORM_ADMIN_REQUIRED");
  expect(outcome(await end(id, t.anonymous()))).toBe("401 UNAUTHENTICATED");
});

// The test fails without lockUsers in endSessionsOfUser (src/features/users/write.ts).
test("a refresh concurrent with the end of all sessions keeps no session valid, and does not count as token reuse", async () => {
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const person = await t.person();
    const others = await Promise.all([inAnotherBrowser(person), inAnotherBrowser(person)]);
    await Promise.all([end(idOf(person)), person.refresh(), ...others.map((other) => other.refresh())]);
    expect(await tokenRows(t, person.email)).toEqual([]);
    expect(await reuses(person)).toEqual([]);
  }
});
