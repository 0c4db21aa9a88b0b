import { expect, test } from "bun:test";
import { SQL } from "bun";
import { type Caller, claimsOf } from "../../support/caller.ts";
import { until } from "../../support/cluster.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { FEWER_ROUNDS, race } from "../../support/race.ts";
import { raceCluster } from "../../support/race-cluster.ts";
import { inAnotherBrowser } from "../../support/sessions.ts";

/*
 * The end of an organization locks refresh tokens and then the proofs of their sessions, without the locks of users. Every other
 * transaction must lock them in this order, too: otherwise two of them deadlock.
 */
const { t, url } = await raceCluster();
const operator = await t.platformAdmin();

const sessionOf = (caller: Caller) => claimsOf(caller.accessToken ?? "").sid;
const proofsOf = (sessionId: string) =>
  t.sql("SELECT kind FROM session_proofs WHERE session_id = $1", [sessionId]);
const REAUTHENTICATE = "/api/profile/reauthenticate";

/** Locks the proofs of a session, so that calls wait for them. */
async function holdProofs(sessionId: string) {
  const holder = new SQL({ url: t.databaseUrl, max: 1 });
  const connection = await holder.reserve();
  await connection.unsafe("BEGIN");
  await connection.unsafe("SELECT FROM session_proofs WHERE session_id = $1 FOR UPDATE", [sessionId]);
  const waiters = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
     AND query ~ 'refresh_tokens|session_proofs'`;
  return {
    waiting: (count: number) =>
      until(async () => ((await t.sql(waiters)).length >= count ? true : null), { seconds: 60 }),
    /** Whether another transaction has locked the token of the session. */
    isTokenLocked: async () =>
      (
        await t.sql(
          "SELECT FROM refresh_tokens WHERE session_id = $1 AND revoked_at IS NULL FOR UPDATE SKIP LOCKED",
          [sessionId],
        )
      ).length === 0,
    async release() {
      await connection.unsafe("COMMIT");
      connection.release();
      await holder.close();
    },
  };
}

const writers: [name: string, write: (person: Caller) => Promise<{ status: number }>][] = [
  ["a re-authentication", (person) => person.post(REAUTHENTICATE, { password: person.account.password })],
  ["the end of a second factor", (person) => operator.delete(`/api/users/${idOf(person)}/2fa`)],
];
// The test fails without the lock of the tokens in recordProof and forgetSecondFactor (sql/).
for (const [name, write] of writers)
  test(`${name} locks the token of a session before its proof; the organization of the session then ends`, async () => {
    const { admin, id } = await createOrganization(t);
    const sessionId = sessionOf(admin);
    if (write === writers[1]?.[1]) {
      await t.sql("UPDATE users SET two_factor_enabled_at = now() WHERE id = $1", [idOf(admin)]);
      await t.sql("UPDATE session_proofs SET factors = 2, amr = '{pwd,otp,mfa}' WHERE session_id = $1", [
        sessionId,
      ]);
    }
    const proofs = await holdProofs(sessionId);
    const written = write(admin);
    await proofs.waiting(1);
    expect(await proofs.isTokenLocked()).toBe(true);
    const ended = operator.delete(`/api/organizations/${id}`);
    await proofs.waiting(2);
    await proofs.release();
    expect([(await written).status, (await ended).status]).toEqual([204, 204]);
    expect(await proofsOf(sessionId)).toEqual([]);
  });

// The test fails if recordProof does not require a token, or its result is not checked.
test("a re-authentication that waits for the end of the session's organization is refused, and leaves no proof", async () => {
  const { admin, id } = await createOrganization(t);
  const sessionId = sessionOf(admin);
  const proofs = await holdProofs(sessionId);
  const ended = operator.delete(`/api/organizations/${id}`);
  await proofs.waiting(1);
  const proven = admin.post(REAUTHENTICATE, { password: admin.account.password });
  await proofs.waiting(2);
  await proofs.release();
  expect((await ended).status).toBe(204);
  expect(outcome(await proven)).toBe("401 UNAUTHENTICATED");
  expect(await proofsOf(sessionId)).toEqual([]);
});

test("sessions that are proven again on two processes while their organization ends leave no proof without a session", async () => {
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const { admin, id } = await createOrganization(t);
    const browsers = [admin, await inAnotherBrowser(admin), await inAnotherBrowser(admin)];
    const outcomes = await race(browsers.length + 1, async (index) => {
      const browser = browsers[index]?.at(url(index));
      if (browser === undefined) return outcome(await operator.delete(`/api/organizations/${id}`));
      return outcome(await browser.post(REAUTHENTICATE, { password: admin.account.password }));
    });
    expect(outcomes.pop()).toBe("204");
    for (const one of outcomes) expect(["204", "401 UNAUTHENTICATED"]).toContain(one);
    const orphans = await t.sql(
      `SELECT kind FROM session_proofs p WHERE user_id = $1
         AND NOT EXISTS (SELECT FROM refresh_tokens r WHERE r.session_id = p.session_id)`,
      [idOf(admin)],
    );
    expect(orphans).toEqual([]);
  }
});
