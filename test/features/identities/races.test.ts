import { expect, test } from "bun:test";
import { holdUserLock, holdUserRow } from "../../support/locks.ts";
import { userIdOf } from "../../support/notifications.ts";
import { browser, sharedOidc } from "../../support/oidc.ts";
import { FEWER_ROUNDS, race } from "../../support/race.ts";
import { uniqueEmail } from "../../support/service.ts";
import { liveRows } from "../../support/sessions.ts";

const { t, oidc, other } = await sharedOidc();

/** Resets the limit of ten re-authentications per 15 minutes. */
const forgetAttempts = () => t.sql("DELETE FROM failed_attempts");

/** Starts a sign-in per subject in separate browsers, up to the callback. */
const arrivals = (subjects: string[], people = oidc) =>
  Promise.all(
    subjects.map(async (subject) => {
      const visitor = browser(t, people);
      return { visitor, callback: await people.visit(await visitor.begin(), subject) };
    }),
  );
const finish = (coming: Awaited<ReturnType<typeof arrivals>>) =>
  race(coming.length, async (index) => {
    const { visitor, callback } = coming[index] as (typeof coming)[number];
    return visitor.finish(callback);
  });
const keys = (outcomes: Record<string, string>[]) => outcomes.flatMap((outcome) => Object.keys(outcome));
const holders = (subject: string) =>
  t.sql<{ user_id: string }>("SELECT user_id FROM user_identities WHERE subject = $1", [subject]);

// The test fails without the second lookup of the identity in `register`, src/features/identities/sign-in.ts.
test("concurrent first sign-ins with one provider identity create one account, and all succeed", async () => {
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    await forgetAttempts();
    const subject = oidc.person();
    const coming = await arrivals(new Array(4).fill(subject));
    expect(keys(await finish(coming))).toEqual(new Array(4).fill("token"));
    const ids = new Set(coming.map(({ visitor }) => userIdOf(visitor.caller)));
    expect(ids.size).toBe(1);
    const [id] = ids;
    const events = await t.sql<{ action: string }>(
      "SELECT action FROM audit_events WHERE target_id = $1 ORDER BY action",
      [id],
    );
    expect(events.map(({ action }) => action)).toEqual([
      ...new Array(4).fill("LOGIN_SUCCEEDED"),
      "USER_REGISTERED",
    ]);
  }
});

// The test fails without lockForSignIn in `startSessionOf`, src/features/identities/sign-in.ts.
test("after 15 concurrent third-party sign-ins, only the ten newest sessions remain", async () => {
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    await forgetAttempts();
    const subject = oidc.person();
    expect(keys(await finish(await arrivals([subject])))).toEqual(["token"]);
    const email = oidc.emailOf(subject);
    const coming = await arrivals(new Array(15).fill(subject));
    // The locked row makes several transactions run at the same time, unless the code prevents that.
    const row = await holdUserRow(t, email);
    const finished = finish(coming);
    await row.waiting(3);
    await row.release();
    expect(keys(await finished)).toEqual(new Array(15).fill("token"));
    const sessions = await liveRows(t, email);
    expect(sessions).toHaveLength(10);
  }
});

// The test fails without the second lookups of the identity in `register` and `startSessionOf`,
// src/features/identities/sign-in.ts.
test("concurrent first sign-ins with one provider identity, but two emails, create one account", async () => {
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    await forgetAttempts();
    const subject = oidc.person();
    const emails = [uniqueEmail(), uniqueEmail(), uniqueEmail()];
    const coming = await arrivals(emails.map(() => subject));
    let asked = 0;
    oidc.alter = ({ path, body }) => {
      if (path === "/me") Object.assign(body as object, { email: emails[asked++] });
    };
    const outcomes = await finish(coming);
    oidc.alter = null;
    expect(keys(outcomes)).toEqual(["token", "token", "token"]);
    expect(asked).toBe(3);
    expect(
      await t.sql("SELECT id FROM users WHERE email = ANY($1::text[])", [`{${emails.join()}}`]),
    ).toHaveLength(1);
    expect(await holders(subject)).toHaveLength(1);
  }
});

test("of two provider identities with one email exactly one gets the account, also against a registration with a password", async () => {
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    await forgetAttempts();
    const email = uniqueEmail();
    const coming = await arrivals([oidc.person({ email }), oidc.person({ email })]);
    const registration = { email, password: "wide blue yonder", firstName: "A", lastName: "B" };
    const [outcomes, registered] = await Promise.all([
      finish(coming),
      t.anonymous().post("/api/auth/register", registration),
    ]);
    const entered = keys(outcomes).filter((key) => key === "token").length;
    expect([registered.status, entered]).toEqual(registered.status === 202 ? [202, 0] : [409, 1]);
    for (const { error } of outcomes) expect([undefined, "ACCOUNT_EXISTS"]).toContain(error);
    expect(await t.sql("SELECT id FROM users WHERE email = $1", [email])).toHaveLength(1);
  }
});

test("an identity that two accounts link concurrently is linked to exactly one", async () => {
  const people = [await t.person(), await t.person()];
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    await forgetAttempts();
    const subject = oidc.person();
    // Checking the identity signs its account in; only the ten newest sessions are kept.
    for (const person of people) await person.login();
    const links = await Promise.all(
      people.map(async (person) => {
        const visitor = browser(t, oidc, person.at(t.url));
        return { visitor, callback: await oidc.visit(await visitor.beginLink(), subject) };
      }),
    );
    const outcomes = await finish([...links, ...(await arrivals([subject]))]);
    const [{ user_id: holder } = { user_id: "" }, ...rest] = await holders(subject);
    expect(rest).toEqual([]);
    people.forEach((person, index) => {
      const expected = userIdOf(person) === holder ? { linked: "acme" } : { error: "IDENTITY_IN_USE" };
      expect(outcomes[index]).toEqual(expected);
    });
    expect(Object.keys(outcomes[2] ?? {})).toEqual(["token"]);
    for (const person of people) await person.delete("/api/profile/identities/acme");
  }
});

// The test fails without lockForSignIn before `register`: both transactions would wait for each other until deadlock
// detection (1 s).
test("a first sign-in that waits for the lock of its browser's previous session blocks no other request", async () => {
  const person = await t.person();
  const email = uniqueEmail();
  const visitor = browser(t, oidc, person.at(t.url));
  const callback = await oidc.visit(await visitor.begin(), oidc.person({ email }));
  const lock = await holdUserLock(t, person.email);
  const coming = visitor.finish(callback);
  await lock.waiting(1);
  const registration = { email, password: "wide blue yonder", firstName: "A", lastName: "B" };
  const registered = await t.anonymous().post("/api/auth/register", registration);
  await lock.release();
  expect([registered.status, await coming]).toEqual([202, { error: "ACCOUNT_EXISTS" }]);
});

// The test fails without the lock of the user in `unlinkIdentity`.
test("if the last two sign-in methods are unlinked concurrently, exactly one remains", async () => {
  const visitor = browser(t, oidc);
  const subjects = [oidc.person(), other.person()];
  await visitor.signIn(subjects[0] ?? "");
  const person = visitor.caller;
  await browser(t, other, person).link(subjects[1] ?? "");
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    await forgetAttempts();
    const responses = await Promise.all(
      ["acme", "other"].map((key) => person.delete(`/api/profile/identities/${key}`)),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 409]);
    const [house, subject = ""] = responses[0]?.status === 204 ? [oidc, subjects[0]] : [other, subjects[1]];
    expect(Object.keys(await browser(t, house, person).link(subject))).toEqual(["linked"]);
  }
});

// The test fails without lockForSignIn in `startSessionOf`.
test("a third-party sign-in concurrent with the deletion of the account starts no session", async () => {
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    await forgetAttempts();
    const subject = oidc.person();
    const owner = browser(t, oidc);
    await owner.signIn(subject);
    const id = userIdOf(owner.caller);
    const coming = await arrivals([subject]);
    const [outcomes, deleted] = await Promise.all([
      finish(coming),
      owner.caller.post("/api/profile/delete", {}),
    ]);
    expect(deleted.status).toBe(204);
    expect([["token"], ["error"]]).toContainEqual(keys(outcomes));
    if (outcomes[0]?.error !== undefined) expect(outcomes[0].error).toBe("EMAIL_UNAVAILABLE");
    expect(await t.sql("SELECT id FROM refresh_tokens WHERE user_id = $1", [id])).toEqual([]);
    expect(await holders(subject)).toEqual([]);
  }
});
