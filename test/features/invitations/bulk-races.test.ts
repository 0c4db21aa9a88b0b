import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { createCommitGate } from "../../support/commit-gate.ts";
import { isReplay, keyed, newKey } from "../../support/idempotency.ts";
import { invite, inviteMany, rowOf } from "../../support/invitations.ts";
import { holdEmailLock, holdEvents, holdOrganizationLock } from "../../support/locks.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { outcome } from "../../support/outcomes.ts";
import { race } from "../../support/race.ts";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";

/* Requests that invite many, over two processes: killed, repeated, and at the same time as others. */
const t = await startService({ JWT_ACCESS_TTL: "2h" });
const [near] = await t.cluster(1);
const gate = await createCommitGate(t, "user_invitations");

const elsewhere = ({ admin }: Organization) => admin.at(near?.url ?? "");
const pending = async ({ id }: Organization) =>
  (
    await t.sql<{ email: string }>(
      "SELECT email FROM user_invitations WHERE organization_id = $1 AND NOT is_deleted ORDER BY email",
      [id],
    )
  ).map(({ email }) => email);
const untilFree = async (send: () => ReturnType<Caller["post"]>) => {
  for (;;) {
    const response = await send();
    if (outcome(response) !== "409 IDEMPOTENCY_KEY_IN_USE") return expectStatus(response, 200);
    await Bun.sleep(50);
  }
};
const rowsOf = (count: number) => Array.from({ length: count }, () => rowOf());
const mailed = async (emails: string[]) => {
  await t.drain();
  return Promise.all(emails.map(async (email) => (await t.mailTo(email)).length));
};

test("kill -9 before COMMIT leaves no row of the request, and the repetition invites all, once", async () => {
  const [org, rows, key] = [await createOrganization(t), rowsOf(20), keyed(newKey())];
  const [doomed] = await t.cluster(1);
  const last =
    rows
      .map(({ email }) => email)
      .sort()
      .at(-1) ?? "";
  const lock = await holdEmailLock(t, last);
  const first = inviteMany(org.admin.at(doomed?.url ?? ""), rows, key).catch(() => null);
  await lock.waiting(1);
  await doomed?.kill();
  await lock.release();
  expect(await first).toBeNull();
  const repeated = await untilFree(() => inviteMany(org.admin, rows, key));
  expect(isReplay(repeated)).toBe(false);
  expect(await pending(org)).toEqual(rows.map(({ email }) => email).sort());
  expect(await mailed(rows.map(({ email }) => email))).toEqual(rows.map(() => 1));
});

test("kill -9 during COMMIT leaves all rows, and the repetition is a replay without a second mail", async () => {
  const [org, rows, key] = [await createOrganization(t), rowsOf(20), keyed(newKey())];
  const [doomed] = await t.cluster(1);
  const closed = await gate.close();
  const first = inviteMany(org.admin.at(doomed?.url ?? ""), rows, key).catch(() => null);
  await closed.waiting();
  await doomed?.kill();
  expect(await first).toBeNull();
  await closed.open();
  const repeated = await untilFree(() => inviteMany(org.admin, rows, key));
  expect(isReplay(repeated)).toBe(true);
  expect(await pending(org)).toEqual(rows.map(({ email }) => email).sort());
  expect(await mailed(rows.map(({ email }) => email))).toEqual(rows.map(() => 1));
});

// Fails without the locks of organization and addresses.
test("many and single invitations of the same addresses at once leave one pending invitation of each", async () => {
  const org = await createOrganization(t);
  const rows = rowsOf(6);
  const emails = rows.map(({ email }) => email);
  const responses = await race(9, (n) => {
    const caller = n % 2 ? org.admin : elsewhere(org);
    if (n < 3) return inviteMany(caller, n === 1 ? rows.toReversed() : rows);
    return invite(caller, { email: emails[n - 3] ?? "" });
  });
  for (const response of responses) expect(["200", "201"]).toContain(outcome(response));

  // The first one waits before its event, with its invitation not committed: without a lock the other one would not replace it.
  const email = uniqueEmail();
  const events = await holdEvents(t);
  const many = inviteMany(org.admin, [rowOf({ email })]);
  await events.waiting(1);
  const single = invite(elsewhere(org), { email });
  await events.waiting(2);
  await events.release();
  expect([outcome(await many), outcome(await single)]).toEqual(["200", "201"]);
  expect(await pending(org)).toEqual([...emails, email].sort());
});

// Fails without the sorted locks of addresses: the transactions would wait for each other.
test("requests of different organizations that invite the same addresses in opposite orders lock them in one order", async () => {
  const [one, two] = [await createOrganization(t), await createOrganization(t)];
  const rows = rowsOf(2).sort((a, b) => (a.email < b.email ? -1 : 1));
  const [first = "", last = ""] = rows.map(({ email }) => email);
  const lock = await holdEmailLock(t, last);
  const reversed = inviteMany(one.admin, rows.toReversed());
  await lock.waiting(1);
  const key = "hashtextextended('email:' || $1::text, 0)";
  const [{ isFree } = { isFree: null }] = await t.sql(
    `SELECT pg_try_advisory_xact_lock(${key}) AS "isFree"`,
    [first],
  );
  expect(isFree).toBe(false);
  const other = inviteMany(elsewhere(two), rows);
  await lock.release();
  expect((await Promise.all([reversed, other])).map(outcome)).toEqual(["200", "200"]);
});

test("of a request that invites many and an acceptance the later one decides", async () => {
  const org = await createOrganization(t);
  const email = uniqueEmail();
  expectStatus(await invite(org.admin, { email }), 201);
  const token = (await t.linkTo(email, "/accept-invitation")).token;
  const lock = await holdOrganizationLock(t, org.id);
  const body = { token, password: "wide blue yonder", firstName: "Grace", lastName: "Hopper" };
  const accepted = t.anonymous().post("/api/auth/accept-invitation", body);
  await lock.waiting(1);
  const many = inviteMany(org.admin, [rowOf({ email })]);
  await lock.waiting(2);
  await lock.release();
  expect(outcome(await accepted)).toBe("204");
  expect(expectStatus(await many, 200).body.rows[0].code).toBe("ALREADY_MEMBER");
});
