import { expect, test } from "bun:test";
import type { ApiResponse, Caller } from "../../support/caller.ts";
import { holdEmailLock, holdGivingOfEmail, holdUserLock, inLine } from "../../support/locks.ts";
import { assignments, createOrganization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { raceCluster } from "../../support/race-cluster.ts";
import { expectStatus, uniqueEmail } from "../../support/service.ts";

/*
 * Concurrent calls about an email to two processes: each test holds a lock until all calls wait for it, then releases it. Above each
 * test: the code without which it fails. `bun run proof planted email` removes it.
 */
const { t, url } = await raceCluster();
const visitor = (index: number) => t.anonymous(url(index));
const EMAIL = "/api/profile/email";
const CONFIRM = "/api/auth/confirm-email-change";
const DEAD = "400 INVALID_OR_EXPIRED_TOKEN";
const DONE = JSON.stringify({ waitingFor: null });
/** The emails of a change, in the order of their locks. */
const earlier = (...emails: string[]) => emails.toSorted()[0] ?? "";

const outcomes = (responses: ApiResponse[]) => responses.map(outcome);

/** Requests a change, and returns calls with its links. The links of a change to an email that others want are not mixed up. */
async function requested(person: Caller, email = uniqueEmail()) {
  const { email: current } = (await person.get(EMAIL)).body;
  const before = new Set((await t.mailTo(email)).flatMap(({ links }) => links));
  expectStatus(await person.post(EMAIL, { email }), 202);
  const oldToken = (await t.linkTo(current, "/confirm-email-change")).token;
  const [link = ""] = (await t.mailTo(email)).flatMap(({ links }) => links).filter((one) => !before.has(one));
  const newToken = new URL(link).searchParams.get("token");
  return {
    ...{ person, current, email },
    confirmOld: () => visitor(0).post(CONFIRM, { token: oldToken }),
    confirmNew: () => person.at(url(1)).post(CONFIRM, { token: newToken }),
    cancel: () => visitor(0).post("/api/auth/cancel-email-change", { token: oldToken }),
  };
}

/** A change that waits for the new address only. */
async function halfConfirmed(person: Caller, email = uniqueEmail()) {
  const change = await requested(person, email);
  expectStatus(await change.confirmOld(), 200);
  return change;
}
const emailOf = async (person: Caller) =>
  (await t.sql("SELECT email FROM users WHERE id = $1", [idOf(person)]))[0]?.email;
const holders = (email: string) =>
  t.sql(
    `SELECT id FROM users WHERE email = $1
     UNION SELECT user_id FROM account_emails WHERE email = $1`,
    [email],
  );
const mailsTo = async (email: string, subject: string) =>
  (await t.mailTo(email)).filter((mail) => mail.subject === subject).length;

// The test fails without the locks of the emails (`lockChange`, src/features/email-change/confirm.ts), and without the check of other
// holders (`give_account_email`, migrations/0006_email_changes.sql).
test("of two changes to one email that are confirmed at once, the first completes, and the link of the other is dead", async () => {
  const email = uniqueEmail();
  const changes = [
    await halfConfirmed(await t.person(), email),
    await halfConfirmed(await t.person(), email),
  ];
  const lock = await holdEmailLock(t, email);
  const responses = await inLine(lock, ...changes.map(({ confirmNew }) => confirmNew));
  expect(outcomes(responses)).toEqual(["200", DEAD]);
  expect(await emailOf(changes[0]?.person as Caller)).toBe(email);
  expect(await holders(email)).toHaveLength(1);
  // The change of the loser is canceled, also for a later look.
  const loser = changes[1]?.person as Caller;
  expect((await loser.get(EMAIL)).body).toMatchObject({ pending: null });
  expect(outcome((await changes[1]?.confirmNew()) as ApiResponse)).toBe(DEAD);
});

// The test fails without the lock of `give_account_email` (migrations/0006_email_changes.sql).
test("a registration and a completion with one email at once give it one holder, in either order", async () => {
  for (const isRegisteredFirst of [true, false]) {
    const change = await halfConfirmed(await t.person());
    const { email } = change;
    const account = { email, password: "wide blue yonder", firstName: "Ada", lastName: "Lovelace" };
    const calls = [() => visitor(0).post("/api/auth/register", account), change.confirmNew];
    const lock = await holdGivingOfEmail(t, email);
    const responses = await inLine(lock, ...(isRegisteredFirst ? calls : calls.toReversed()));
    expect(outcomes(responses)).toEqual(isRegisteredFirst ? ["202", DEAD] : ["200", "409 EMAIL_TAKEN"]);
    expect(await holders(email)).toHaveLength(1);
  }
});

// The test fails without the lock of `give_account_email` (migrations/0006_email_changes.sql).
test("an invitation that a new account accepts and a completion with its email at once give it one holder", async () => {
  const acme = await createOrganization(t);
  for (const isAcceptedFirst of [true, false]) {
    const change = await halfConfirmed(await t.person());
    const { email } = change;
    const invitation = { email, ...assignments({ role: "MEMBER" }) };
    expectStatus(await acme.admin.post("/api/members/invitations", invitation), 201);
    const { token } = await t.linkTo(email, "/accept-invitation");
    const account = { token, password: "wide blue yonder", firstName: "Ada", lastName: "Lovelace" };
    const calls = [() => visitor(0).post("/api/auth/accept-invitation", account), change.confirmNew];
    const lock = await holdGivingOfEmail(t, email);
    const responses = await inLine(lock, ...(isAcceptedFirst ? calls : calls.toReversed()));
    const [accepted, confirmed] = isAcceptedFirst ? responses : responses.toReversed();
    expect([accepted?.status === 204, confirmed?.status === 200]).toEqual([
      isAcceptedFirst,
      !isAcceptedFirst,
    ]);
    expect(accepted?.status).toBeLessThan(500);
    expect(await holders(email)).toHaveLength(1);
  }
});

// The test fails without the locks of `lockChange`, and without the conditions on `canceled_at` and `completed_at` (sql/email-changes.sql,
// migrations/0006_email_changes.sql).
test("of a confirmation and a cancellation at once exactly the first works", async () => {
  for (const isConfirmedFirst of [true, false]) {
    const change = await halfConfirmed(await t.person());
    const calls = [change.confirmNew, change.cancel];
    const lock = await holdEmailLock(t, earlier(change.email, change.current));
    const responses = await inLine(lock, ...(isConfirmedFirst ? calls : calls.toReversed()));
    expect(outcomes(responses)).toEqual(isConfirmedFirst ? ["200", DEAD] : ["204", DEAD]);
    expect(await emailOf(change.person)).toBe(isConfirmedFirst ? change.email : change.current);
  }
});

// The test fails without `cancelPending` and `markUndone` in `undo`, and without reading the change again under the lock
// (src/features/email-change/undo.ts).
test("an undo and the completion of the next change at once: the undo wins, in either order", async () => {
  for (const isUndoneFirst of [true, false]) {
    const first = await halfConfirmed(await t.person());
    expectStatus(await first.confirmNew(), 200);
    const { token } = await t.linkTo(first.current, "/undo-email-change");
    await t.sql("UPDATE email_changes SET created_at = created_at - interval '1 hour' WHERE user_id = $1", [
      idOf(first.person),
    ]);
    const next = await halfConfirmed(first.person);
    const calls = [() => visitor(0).post("/api/auth/undo-email-change", { token }), next.confirmNew];
    const lock = await holdUserLock(t, first.email);
    const responses: Promise<ApiResponse>[] = [];
    // The second call waits for the email that both lock, not for the user.
    for (const call of isUndoneFirst ? calls : calls.toReversed()) {
      responses.push(call());
      await lock.waiting(1);
    }
    await Bun.sleep(200);
    await lock.release();
    const [undone] = outcomes(await Promise.all(isUndoneFirst ? responses : responses.toReversed()));
    expect(undone).toBe("204");
    expect(await emailOf(first.person)).toBe(first.current);
    const open = await t.sql(
      "SELECT FROM email_changes WHERE user_id = $1 AND canceled_at IS NULL AND undone_at IS NULL",
      [idOf(first.person)],
    );
    expect(open).toEqual([]);
  }
});

// The test fails without the user's lock in `lockChange`, and without `NOT u.is_deleted` (findChangeByToken, sql/email-changes.sql).
test("a confirmation that waits for the deletion of the account is refused, and takes no email", async () => {
  const change = await halfConfirmed(await t.person());
  const { person } = change;
  const lock = await holdUserLock(t, person.email);
  const remove = () => person.at(url(0)).post("/api/profile/delete", { password: person.account.password });
  const responses = await inLine(lock, remove, change.confirmNew);
  expect(outcomes(responses)).toEqual(["204", DEAD]);
  expect(await holders(change.email)).toEqual([]);
  expect(outcome(await change.cancel())).toBe(DEAD);
});

// The test fails without the locks of `lockChange`, and without `isCompleted` in `confirmEmailChange`.
test("the links of both addresses at once complete the change once, with one set of mails", async () => {
  for (const isOldFirst of [true, false]) {
    const change = await requested(await t.person());
    const calls = [change.confirmOld, change.confirmNew];
    const lock = await holdEmailLock(t, earlier(change.email, change.current));
    const responses = await inLine(lock, ...(isOldFirst ? calls : calls.toReversed()));
    const waitingFor = JSON.stringify({ waitingFor: isOldFirst ? "new" : "old" });
    expect(responses.map(({ body }) => JSON.stringify(body))).toEqual([waitingFor, DONE]);
    expect(await emailOf(change.person)).toBe(change.email);
    expect(await mailsTo(change.current, "Your email address was changed")).toBe(1);
    const events = await t.sql("SELECT FROM audit_events WHERE target_id = $1 AND action = 'EMAIL_CHANGED'", [
      idOf(change.person),
    ]);
    expect(events).toHaveLength(1);
  }
});

// The test fails without the lock of the emails, and without `isUndone` in `undo`.
test("one undo link that is sent twice at once undoes once, with one set of mails", async () => {
  const change = await halfConfirmed(await t.person());
  expectStatus(await change.confirmNew(), 200);
  const { token } = await t.linkTo(change.current, "/undo-email-change");
  const send = (index: number) => () => visitor(index).post("/api/auth/undo-email-change", { token });
  const lock = await holdEmailLock(t, earlier(change.email, change.current));
  expect(outcomes(await inLine(lock, send(0), send(1)))).toEqual(["204", DEAD]);
  expect(await mailsTo(change.email, "The change of your email address was undone")).toBe(1);
});

// The test fails without `findChangeWait` under the user's lock (src/features/email-change/request.ts).
test("two requests at once mail one set of links", async () => {
  const person = await t.person();
  const emails = [uniqueEmail(), uniqueEmail()];
  const lock = await holdEmailLock(t, person.email);
  const calls = emails.map((email, index) => () => person.at(url(index)).post(EMAIL, { email }));
  expect(outcomes(await inLine(lock, ...calls))).toEqual(["202", "429 TOO_MANY_REQUESTS"]);
});
