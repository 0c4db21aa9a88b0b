import { expect, test } from "bun:test";
import { holdUserLock, holdUserRow } from "../../support/locks.ts";
import { userIdOf } from "../../support/notifications.ts";
import { browser, startOidc, withProviders } from "../../support/oidc.ts";
import { FEWER_ROUNDS, RACE_TIMEOUT_MS, race } from "../../support/race.ts";
import { startService, uniqueEmail } from "../../support/service.ts";
import { liveRows } from "../../support/sessions.ts";

const oidc = await startOidc();
const other = await startOidc("other");
const t = await startService(withProviders(oidc, other));

/** Resets the limit of ten re-authentications in 15 minutes, as if that time had passed. */
const forgetAttempts = () => t.sql("DELETE FROM failed_attempts");

/** Browsers that have signed in at the provider, before the callback. */
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

// Fails without the second look at the identity in src/features/identities/sign-in.ts, `register`.
test(
  "concurrent first sign-ins of one person create one account, and all succeed",
  async () => {
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
  },
  RACE_TIMEOUT_MS,
);

// Fails without lockForSignIn in src/features/identities/sign-in.ts, `enter`.
test(
  "15 concurrent sign-ins by a provider leave the ten newest sessions",
  async () => {
    for (let round = 0; round < FEWER_ROUNDS; round += 1) {
      await forgetAttempts();
      const subject = oidc.person();
      expect(keys(await finish(await arrivals([subject])))).toEqual(["token"]);
      const email = oidc.emailOf(subject);
      const coming = await arrivals(new Array(15).fill(subject));
      // So that several of them are in the middle of their transactions at the same time, if nothing else prevents it.
      const row = await holdUserRow(t, email);
      const finished = finish(coming);
      await row.waiting(3);
      await row.release();
      expect(keys(await finished)).toEqual(new Array(15).fill("token"));
      const sessions = await liveRows(t, email);
      expect(sessions).toHaveLength(10);
    }
  },
  RACE_TIMEOUT_MS,
);

// Fails without both looks at who holds the identity by then, in `register` and in `enter`.
test(
  "one person with two emails at the same time gets one account",
  async () => {
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
  },
  RACE_TIMEOUT_MS,
);

test(
  "of two people with one email the first gets the account, also against a registration by password",
  async () => {
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
  },
  RACE_TIMEOUT_MS,
);

test(
  "an identity that two accounts link concurrently belongs to one",
  async () => {
    const people = [await t.person(), await t.person()];
    for (let round = 0; round < FEWER_ROUNDS; round += 1) {
      await forgetAttempts();
      const subject = oidc.person();
      // The account that gets the identity is signed in by it, and only its ten newest sessions are kept.
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
  },
  RACE_TIMEOUT_MS,
);

// Fails without the lock before `register`: the two would wait for each other, a second or more.
test("a first sign-in that waits for its browser's session blocks no other request", async () => {
  const person = await t.person();
  const email = uniqueEmail();
  const visitor = browser(t, oidc, person.at(t.url));
  const callback = await oidc.visit(await visitor.begin(), oidc.person({ email }));
  const held = await holdUserLock(t, person.email);
  const coming = visitor.finish(callback);
  await held.waiting(1);
  const registration = { email, password: "wide blue yonder", firstName: "A", lastName: "B" };
  const registered = await t.anonymous().post("/api/auth/register", registration);
  await held.release();
  expect([registered.status, await coming]).toEqual([202, { error: "ACCOUNT_EXISTS" }]);
});

// Fails without the user's lock in `unlinkIdentity`.
test(
  "of two last ways to sign in, unlinked concurrently, one stays",
  async () => {
    const visitor = browser(t, oidc);
    const subjects = [oidc.person(), other.person()];
    await visitor.signIn(subjects[0] ?? "");
    const person = visitor.caller;
    await browser(t, other, person).link(subjects[1] ?? "");
    for (let round = 0; round < FEWER_ROUNDS; round += 1) {
      await forgetAttempts();
      const answers = await Promise.all(
        ["acme", "other"].map((key) => person.delete(`/api/profile/identities/${key}`)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
      const [house, subject = ""] = answers[0]?.status === 204 ? [oidc, subjects[0]] : [other, subjects[1]];
      expect(Object.keys(await browser(t, house, person).link(subject))).toEqual(["linked"]);
    }
  },
  RACE_TIMEOUT_MS,
);

// Fails without the lock of `enter`.
test(
  "a sign-in concurrent with the deletion of the account starts no session",
  async () => {
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
  },
  RACE_TIMEOUT_MS,
);
