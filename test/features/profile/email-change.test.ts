import { expect, test } from "bun:test";
import { PASSKEYS, register, SoftAuthenticator, signIn, withPasskey } from "../../support/authenticator.ts";
import { Caller } from "../../support/caller.ts";
import { assignments, createOrganization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { eventsOf, type OutgoingEvent } from "../../support/outgoing-events.ts";
import { expectStatus, sharedService, startService, uniqueEmail } from "../../support/service.ts";
import { inAnotherBrowser, resetToken, twoDaysOlder } from "../../support/sessions.ts";
import { codeOfStep, currentStep, fromBase32, withTwoFactor } from "../../support/two-factor.ts";

const t = await sharedService();
const EMAIL = "/api/profile/email";
const CONFIRM = "/api/auth/confirm-email-change";
const DEAD = "400 INVALID_OR_EXPIRED_TOKEN";
const visitor = () => new Caller(t.url);

/** Requests a change, and returns its links. */
async function requested(person: Caller, email = uniqueEmail()) {
  const old = person.email;
  expectStatus(await person.post(EMAIL, { email }), 202);
  const current = (await person.get(EMAIL)).body.email;
  const oldToken = (await t.linkTo(current, "/confirm-email-change")).token;
  const newToken = (await t.linkTo(email, "/confirm-email-change")).token;
  return { person, old, email, current, oldToken, newToken };
}
type Requested = Awaited<ReturnType<typeof requested>>;
const confirmOld = ({ oldToken }: Requested) => visitor().post(CONFIRM, { token: oldToken });
const confirmNew = ({ person, newToken }: Requested) => person.post(CONFIRM, { token: newToken });

async function changed(person: Caller, email = uniqueEmail()) {
  const change = await requested(person, email);
  expectStatus(await confirmOld(change), 200);
  expect((await confirmNew(change)).body).toEqual({ waitingFor: null });
  return { ...change, undo: async () => (await t.linkTo(change.current, "/undo-email-change")).token };
}
const again = (person: Caller) =>
  t.sql("UPDATE email_changes SET created_at = created_at - interval '1 hour' WHERE user_id = $1", [
    idOf(person),
  ]);
const emailOf = async (person: Caller) =>
  (await t.sql("SELECT email FROM users WHERE id = $1", [idOf(person)]))[0]?.email;

test("both addresses confirm; the session that confirmed stays, all others end", async () => {
  const person = await t.person();
  const elsewhere = await inAnotherBrowser(person);
  const change = await requested(person);
  expect((await person.get(EMAIL)).body).toMatchObject({
    email: person.email,
    pending: { email: change.email, oldConfirmed: false, newConfirmed: false },
    undoUntil: null,
  });
  expect((await confirmOld(change)).body).toEqual({ waitingFor: "new" });
  expect((await confirmOld(change)).body).toEqual({ waitingFor: "new" });
  expect(await emailOf(person)).toBe(person.email);
  expect((await confirmNew(change)).body).toEqual({ waitingFor: null });
  expect((await confirmNew(change)).body).toEqual({ waitingFor: null });
  expect((await confirmOld(change)).body).toEqual({ waitingFor: null });
  expect(await emailOf(person)).toBe(change.email);
  expectStatus(await person.refresh(), 200);
  expect(outcome(await elsewhere.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
  const { password } = person.account;
  expect(outcome(await visitor().post("/api/auth/login", { email: person.email, password }))).toBe(
    "401 INVALID_CREDENTIALS",
  );
  expect(outcome(await visitor().post("/api/auth/login", { email: change.email, password }))).toBe("200");
  const events = await t.sql(
    "SELECT action, metadata FROM audit_events WHERE target_id = $1 AND action LIKE 'EMAIL_CHANGE%' ORDER BY time, id",
    [idOf(person)],
  );
  const metadata = { from: person.email, to: change.email };
  expect(events).toEqual([
    { action: "EMAIL_CHANGE_REQUESTED", metadata },
    { action: "EMAIL_CHANGED", metadata },
  ]);
});

test("the link of the new address needs the session of the account", async () => {
  const change = await requested(await t.person());
  const other = await t.person();
  const token = { token: change.newToken };
  expect(outcome(await visitor().post(CONFIRM, token))).toBe("401 UNAUTHENTICATED");
  expect(outcome(await other.post(CONFIRM, token))).toBe("403 FORBIDDEN");
  const elsewhere = await inAnotherBrowser(change.person);
  expectStatus(await elsewhere.post("/api/auth/logout"), 204);
  expect(outcome(await elsewhere.post(CONFIRM, token))).toBe("401 UNAUTHENTICATED");
  expect(outcome(await visitor().post(CONFIRM, { token: "x" }))).toBe(DEAD);
  expect(outcome(await confirmNew(change))).toBe("200");
});

test("a session before a required second factor confirms no new address", async () => {
  const change = await requested(await t.person());
  const strict = await startService({ REQUIRE_TWO_FACTOR: "all" }, { databaseUrl: t.databaseUrl });
  const restricted = await inAnotherBrowser(change.person, strict.url);
  const token = { token: change.newToken };
  expect(outcome(await restricted.post(CONFIRM, token))).toBe("403 TWO_FACTOR_REQUIRED");
  expectStatus(await confirmOld(change), 200);
  expect((await change.person.get(EMAIL)).body.pending).toMatchObject({ newConfirmed: false });
  expect((await confirmNew(change)).body).toEqual({ waitingFor: null });
});

test("the old address cancels, which ends every session; of confirming and canceling at once exactly one works", async () => {
  const change = await requested(await t.person());
  const cancel = ({ oldToken }: Requested) =>
    visitor().post("/api/auth/cancel-email-change", { token: oldToken });
  expect(outcome(await cancel({ ...change, oldToken: change.newToken }))).toBe(DEAD);
  expect(outcome(await cancel(change))).toBe("204");
  expect(outcome(await change.person.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
  expect(outcome(await cancel(change))).toBe(DEAD);
  expect(outcome(await confirmOld(change))).toBe(DEAD);

  for (let round = 0; round < 5; round += 1) {
    const raced = await requested(await t.person());
    expectStatus(await confirmOld(raced), 200);
    const [confirmed, canceled] = await Promise.all([confirmNew(raced), cancel(raced)]);
    const isChanged = (await emailOf(raced.person)) === raced.email;
    expect([outcome(canceled), isChanged]).toEqual(
      outcome(confirmed) === "200" ? [DEAD, true] : ["204", false],
    );
  }
});

test("an email has one holder over all time", async () => {
  const person = await t.person();
  const other = await t.person();
  expect(outcome(await person.post(EMAIL, { email: person.email }))).toBe("409 CONFLICT");
  expect(outcome(await person.post(EMAIL, { email: other.email }))).toBe("409 EMAIL_TAKEN");
  expect(outcome(await person.post(EMAIL, { email: "no email" }))).toBe("400 VALIDATION_FAILED");
  const { email, current } = await changed(person);
  const account = { password: "wide blue yonder", firstName: "Ada", lastName: "Lovelace" };
  for (const taken of [email, current]) {
    expect(outcome(await other.post(EMAIL, { email: taken }))).toBe("409 EMAIL_TAKEN");
    expect(outcome(await visitor().post("/api/auth/register", { email: taken, ...account }))).toBe(
      "409 EMAIL_TAKEN",
    );
  }
  // It may return to the account.
  await again(person);
  await changed(person, current);
  expect(await emailOf(person)).toBe(current);
});

test("of two changes to one email one completes, also against a registration", async () => {
  for (let round = 0; round < 3; round += 1) {
    const email = uniqueEmail();
    const changes = [await requested(await t.person(), email), await requested(await t.person(), email)];
    const links = (await t.mailTo(email)).flatMap(({ links }) => links);
    expect(links.length).toBeGreaterThan(1);
    for (const change of changes) expectStatus(await confirmOld(change), 200);
    const tokens = await Promise.all(
      changes.map(async ({ person }) => {
        const [row] = await t.sql("SELECT new_token_hash FROM email_changes WHERE user_id = $1", [
          idOf(person),
        ]);
        return links
          .map((link) => new URL(link).searchParams.get("token") ?? "")
          .find(
            (token) => new Bun.CryptoHasher("sha256").update(token).digest("hex") === row?.new_token_hash,
          );
      }),
    );
    const account = { email, password: "wide blue yonder", firstName: "Ada", lastName: "Lovelace" };
    const [first, second, registered] = await Promise.all([
      changes[0]?.person.post(CONFIRM, { token: tokens[0] }),
      changes[1]?.person.post(CONFIRM, { token: tokens[1] }),
      visitor().post("/api/auth/register", account),
    ]);
    const won = [first, second, registered].filter((one) => one !== undefined && one.status < 300);
    expect(won).toHaveLength(1);
    const rows = await t.sql("SELECT 1 FROM users WHERE email = $1", [email]);
    expect(rows).toHaveLength(1);
  }
});

test("one request a minute and five a day, whatever became of them; that comes before a conflict", async () => {
  const person = await t.person();
  await requested(person);
  expect(outcome(await person.post(EMAIL, { email: person.email }))).toBe("429 TOO_MANY_REQUESTS");
  expectStatus(await person.delete(EMAIL), 204);
  expectStatus(await person.delete(EMAIL), 204);
  expect((await person.get(EMAIL)).body.pending).toBeNull();
  for (let count = 0; count < 4; count += 1) {
    await again(person);
    await requested(person);
  }
  await again(person);
  expect(outcome(await person.post(EMAIL, { email: uniqueEmail() }))).toBe("429 TOO_MANY_REQUESTS");
});

test("requests for emails of others count among the five a day, so that they cannot be tried without limit", async () => {
  const person = await t.person();
  const taken = [(await t.person()).email, (await t.person()).email];
  const ask = (email = "") => person.post(EMAIL, { email });
  for (const email of [...taken, ...taken]) expect(outcome(await ask(email))).toBe("409 EMAIL_TAKEN");
  // A refusal does not start the minute.
  await requested(person);
  await again(person);
  expect(outcome(await ask(taken[0]))).toBe("429 TOO_MANY_REQUESTS");
  expect(outcome(await ask(uniqueEmail()))).toBe("429 TOO_MANY_REQUESTS");

  const other = await t.person();
  const many = await Promise.all(Array.from({ length: 9 }, () => other.post(EMAIL, { email: taken[0] })));
  expect(many.filter(({ status }) => status === 409).length).toBeLessThanOrEqual(5);
  expect(outcome(await other.post(EMAIL, { email: uniqueEmail() }))).toBe("429 TOO_MANY_REQUESTS");
});

test("a later request supersedes an earlier one, and the links of a deleted account are dead", async () => {
  const person = await t.person();
  const first = await requested(person);
  await again(person);
  const second = await requested(person);
  expect(outcome(await confirmOld(first))).toBe(DEAD);
  expect(outcome(await confirmOld(second))).toBe("200");
  expectStatus(await person.post("/api/profile/delete", { password: person.account.password }), 204);
  expect(outcome(await confirmNew(second))).toBe(DEAD);
});

/** The removals in the audit log of an account, with actor and metadata. */
const removals = async (person: Caller) =>
  (
    await t.sql<{ action: string; metadata: Record<string, string> }>(
      `SELECT action, actor_id, metadata FROM audit_events
       WHERE action IN ('PASSKEY_REMOVED', 'SIGN_IN_METHOD_REMOVED', 'TWO_FACTOR_DISABLED') AND actor_id = $1 ORDER BY action, metadata->>'provider'`,
      [idOf(person)],
    )
  ).map(({ action, metadata }) => [action, metadata.provider ?? metadata.name ?? metadata.via]);
const notified = async (person: Caller) =>
  (
    await t.sql<{ type: string; data: Record<string, string> }>(
      "SELECT type, data FROM notifications WHERE user_id = $1 AND type ~ 'REMOVED|DISABLED'",
      [idOf(person)],
    )
  )
    .map(({ type, data }) => `${type} ${data.provider ?? data.via}`)
    .sort();

/** A thief of a session and the password adds every way in, and requests a change of the email afterwards. */
async function robbed() {
  const person = await t.person();
  const { authenticator: own } = await withPasskey(person);
  await twoDaysOlder(t, person);
  const thief = await inAnotherBrowser(person);
  const added = new SoftAuthenticator();
  expectStatus(await register(thief, added, { name: "Eve's" }), 201);
  await withTwoFactor(t, thief);
  const newPassword = "a longer blue yonder";
  expectStatus(
    await thief.post("/api/profile/password", { currentPassword: person.account.password, newPassword }),
    204,
  );
  await t.sql(
    "INSERT INTO user_identities (user_id, provider, issuer, subject) VALUES ($1, 'acme', 'https://acme.test', $2)",
    [idOf(person), person.email],
  );
  const change = await requested(thief);
  return { person, own, added, thief, newPassword, change };
}
async function expectOwnAgain({
  person,
  own,
  added,
  thief,
  newPassword,
}: Awaited<ReturnType<typeof robbed>>) {
  expect(outcome(await thief.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
  expect(outcome(await signIn(visitor(), added))).toBe("401 INVALID_PASSKEY");
  const asThief = { email: person.email, password: newPassword };
  expect(outcome(await visitor().post("/api/auth/login", asThief))).toBe("401 INVALID_CREDENTIALS");
  const owner = visitor();
  expectStatus(await signIn(owner, own), 200);
  expect((await owner.get("/api/profile")).body).toMatchObject({
    email: person.email,
    passkeyCount: 1,
    twoFactorEnabled: false,
  });
  expect((await owner.get("/api/profile/identities")).body).toEqual([]);
  expect(await removals(person)).toEqual([
    ["PASSKEY_REMOVED", "Eve's"],
    ["SIGN_IN_METHOD_REMOVED", "acme"],
    ["SIGN_IN_METHOD_REMOVED", "password"],
    ["TWO_FACTOR_DISABLED", "self"],
  ]);
  expect(await notified(person)).toEqual([
    "SIGN_IN_METHOD_REMOVED acme",
    "SIGN_IN_METHOD_REMOVED passkey",
    "SIGN_IN_METHOD_REMOVED password",
    "TWO_FACTOR_DISABLED self",
  ]);
  const reset = await t.linkTo(person.email, "/reset-password");
  const mine = { token: reset.token, newPassword: "mine once again" };
  expectStatus(await visitor().post("/api/auth/reset-password", mine), 204);
}

test("an undo removes what a thief added before the change was requested, and says so", async () => {
  const robbery = await robbed();
  const { change } = robbery;
  expectStatus(await confirmOld(change), 200);
  expect((await confirmNew(change)).body).toEqual({ waitingFor: null });
  const { token } = await t.linkTo(change.current, "/undo-email-change");
  expectStatus(await visitor().post("/api/auth/undo-email-change", { token }), 204);
  await expectOwnAgain(robbery);
});

test("so does a cancellation by the old address", async () => {
  const robbery = await robbed();
  const { oldToken: token } = robbery.change;
  expectStatus(await visitor().post("/api/auth/cancel-email-change", { token }), 204);
  await expectOwnAgain(robbery);
});

test("a cancellation keeps what is older than a day, and then mails no link to set a password", async () => {
  const person = await t.person();
  const factor = await withTwoFactor(t, person);
  const { authenticator } = await withPasskey(person);
  await twoDaysOlder(t, person);
  const { oldToken: token } = await requested(person);
  expectStatus(await visitor().post("/api/auth/cancel-email-change", { token }), 204);
  expectStatus(await signIn(visitor(), authenticator), 200);
  const owner = await factor.person.at(t.url);
  expect((await owner.login()).body.twoFactorRequired).toBe(true);
  expect(await removals(person)).toEqual([]);
  expect((await t.mailTo(person.email)).map(({ subject }) => subject)).not.toContain("Choose a new password");
});

test("a completed and an undone change are events of each organization of the account", async () => {
  const acme = await createOrganization(t);
  const person = await acme.member({ role: "MEMBER" });
  const emailOfEvent = (events: OutgoingEvent[]) =>
    events.map(({ type, actor, data }) => [type, actor?.id, data.object.email, data.previous]);
  let change: Awaited<ReturnType<typeof changed>> | undefined;
  const completed = await eventsOf(t, acme.admin, async () => {
    change = await changed(person);
  });
  const { undo, email = "", current = "" } = change ?? {};
  expect(emailOfEvent(completed)).toEqual([["member.updated", idOf(person), email, { email: current }]]);
  const token = await undo?.();
  const undone = await eventsOf(t, acme.admin, () =>
    visitor().post("/api/auth/undo-email-change", { token }),
  );
  expect(emailOfEvent(undone)).toEqual([["member.updated", idOf(person), current, { email }]]);
});

test("a reset of the password cancels a pending change", async () => {
  const change = await requested(await t.person());
  expectStatus(await confirmOld(change), 200);
  const token = await resetToken(t, change.old);
  const newPassword = "only the owner knows";
  expectStatus(await visitor().post("/api/auth/reset-password", { token, newPassword }), 204);
  const owner = new Caller(t.url, { ...change.person.account, password: newPassword });
  expectStatus(await owner.login(), 200);
  expect((await owner.get(EMAIL)).body.pending).toBeNull();
  expect(outcome(await owner.post(CONFIRM, { token: change.newToken }))).toBe(DEAD);
  const [event] = await t.sql(
    "SELECT metadata FROM audit_events WHERE target_id = $1 AND action = 'EMAIL_CHANGE_CANCELED'",
    [idOf(change.person)],
  );
  expect(event?.metadata).toEqual({ from: change.old, to: change.email });
});

test("the old mailbox undoes what a thief did, once", async () => {
  const person = await t.person();
  const own = await withPasskey(person);
  await twoDaysOlder(t, person);
  const { undo, current, email } = await changed(person);
  const thief = new SoftAuthenticator();
  expectStatus(await register(person, thief), 201);
  await withTwoFactor(t, person);
  const newPassword = "a longer blue yonder";
  expectStatus(
    await person.post("/api/profile/password", { currentPassword: person.account.password, newPassword }),
    204,
  );
  const token = await undo();
  const send = () => visitor().post("/api/auth/undo-email-change", { token });
  const both = await Promise.all([send(), send()]);
  expect(both.map(outcome).sort()).toEqual(["204", DEAD]);
  expect(await emailOf(person)).toBe(current);
  expect(outcome(await person.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
  for (const password of [newPassword, person.account.password])
    expect(outcome(await visitor().post("/api/auth/login", { email: current, password }))).toBe(
      "401 INVALID_CREDENTIALS",
    );
  expect(outcome(await signIn(visitor(), thief))).toBe("401 INVALID_PASSKEY");
  const owner = visitor();
  expectStatus(await signIn(owner, own.authenticator), 200);
  expect((await owner.get("/api/profile")).body).toMatchObject({ email: current, twoFactorEnabled: false });
  expect((await t.mailTo(current)).map(({ subject }) => subject)).toContain("Choose a new password");
  expect((await t.mailTo(email)).map(({ subject }) => subject)).toContain(
    "The change of your email address was undone",
  );
});

test("an undo discards a secret that a thief set up and did not confirm", async () => {
  const person = await t.person();
  const { authenticator } = await withPasskey(person);
  await twoDaysOlder(t, person);
  const { undo } = await changed(person);
  const { password } = person.account;
  const { secret } = expectStatus(await person.post("/api/profile/2fa/setup", { password }), 200).body;
  const token = await undo();
  expectStatus(await visitor().post("/api/auth/undo-email-change", { token }), 204);
  const owner = visitor();
  expectStatus(await signIn(owner, authenticator), 200);
  const code = codeOfStep(fromBase32(secret), currentStep());
  expect(outcome(await owner.post("/api/profile/2fa/enable", { code }))).toBe("409 CONFLICT");
});

test("of two changes, the undo of the first restores the first address and ends the second undo", async () => {
  const person = await t.person();
  const first = await changed(person);
  await again(person);
  const second = await changed(person);
  await again(person);
  const pending = await requested(person);
  const [tokenOfFirst, tokenOfSecond] = [await first.undo(), await second.undo()];
  expect(outcome(await visitor().post("/api/auth/undo-email-change", { token: tokenOfFirst }))).toBe("204");
  expect(await emailOf(person)).toBe(first.current);
  expect(outcome(await visitor().post("/api/auth/undo-email-change", { token: tokenOfSecond }))).toBe(DEAD);
  expect(outcome(await confirmOld(pending))).toBe(DEAD);
});

test("invitations to a former email: those of before the change work, later ones do not", async () => {
  const acme = await createOrganization(t);
  const person = await t.person();
  const invite = async () => {
    expectStatus(
      await acme.admin.post("/api/members/invitations", {
        email: person.email,
        ...assignments({ role: "MEMBER" }),
      }),
      201,
    );
    return (await t.linkTo(person.email, "/accept-invitation")).token;
  };
  const before = await invite();
  await changed(person);
  expect((await visitor().get(`/api/auth/invitation?token=${before}`)).body.accountExists).toBe(true);
  await t.sql("UPDATE user_invitation_sends SET sent_at = sent_at - interval '1 day'");
  const later = await invite();
  expect(outcome(await visitor().get(`/api/auth/invitation?token=${later}`))).toBe("409 EMAIL_UNAVAILABLE");
  expect(outcome(await person.post("/api/auth/accept-invitation", { token: later }))).toBe(
    "403 INVITATION_EMAIL_MISMATCH",
  );
  const globex = await createOrganization(t, "Globex");
  const other = await t.person();
  expectStatus(
    await globex.admin.post("/api/members/invitations", {
      email: other.email,
      ...assignments({ role: "MEMBER" }),
    }),
    201,
  );
  const { token } = await t.linkTo(other.email, "/accept-invitation");
  await changed(other);
  expect(outcome(await other.post("/api/auth/accept-invitation", { token }))).toBe("204");
});

test("the audit log of the platform is searched by former emails, and the export lists them", async () => {
  const person = await t.person();
  const { current } = await changed(person);
  const root = await t.platformAdmin();
  const { data } = expectStatus(
    await root.get(`/api/audit-events?search=${encodeURIComponent(current)}`),
    200,
  ).body;
  expect(data.map(({ action }: { action: string }) => action)).toContain("EMAIL_CHANGED");
});

test("with the new address alone, its confirmation is enough", async () => {
  const other = await startService(
    { EMAIL_CHANGE_CONFIRMATION: "new", EMAIL_CHANGE_UNDO_HOURS: "0" },
    { databaseUrl: t.databaseUrl },
  );
  const person = await inAnotherBrowser(await t.person(), other.url);
  const email = uniqueEmail();
  expectStatus(await person.post(EMAIL, { email }), 202);
  const { token } = await t.linkTo(email, "/confirm-email-change");
  expect((await person.post(CONFIRM, { token })).body).toEqual({ waitingFor: null });
  expect((await person.get(EMAIL)).body).toEqual({ email, pending: null, undoUntil: null });
});

test("no passkey is added in a session that has ended", async () => {
  const person = await t.person();
  const { challengeToken, options } = expectStatus(await person.post(`${PASSKEYS}/options`), 200).body;
  const response = new SoftAuthenticator().create(options);
  await t.sql("DELETE FROM refresh_tokens WHERE user_id = $1", [idOf(person)]);
  expect(outcome(await person.post(PASSKEYS, { challengeToken, response }))).toBe("401 UNAUTHENTICATED");
  expect(outcome(await person.post(EMAIL, { email: uniqueEmail() }))).toBe("401 UNAUTHENTICATED");
});
