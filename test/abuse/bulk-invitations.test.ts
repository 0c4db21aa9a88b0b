import { expect, test } from "bun:test";
import type { Caller } from "../support/caller.ts";
import { invite, invited, inviteMany, previewInvitation, rowOf, tokenFor } from "../support/invitations.ts";
import { createOrganization } from "../support/organizations.ts";
import { actingIn, outcome } from "../support/outcomes.ts";
import { expectStatus, sharedService, uniqueEmail } from "../support/service.ts";

const t = await sharedService();

const many = (count: number) => Array.from({ length: count }, () => rowOf());
const bulk = async (caller: Caller, rows: object[], options = {}) =>
  expectStatus(await inviteMany(caller, rows, options), 200).body;
const codes = ({ rows }: { rows: { code: string | null; outcome: string }[] }) =>
  Object.fromEntries(
    [...Map.groupBy(rows, ({ code, outcome }) => code ?? outcome)].map(([word, of]) => [word, of.length]),
  );

/** Runs the job that mails the invitations that are due. */
async function sendDue() {
  await t.sql("INSERT INTO pgboss.job (name) VALUES ('invitations.mail')");
  await t.drain();
}
/** Returns how many mails of an organization wait, by the hours until they are sent. */
const waiting = async (organization: { id: string }) =>
  (
    await t.sql<{ hours: number; count: number }>(
      `SELECT round(extract(epoch FROM mail_at - now()) / 3600)::int AS hours, count(*)::int AS count
       FROM user_invitation_sends WHERE organization_id = $1 AND waits GROUP BY 1 ORDER BY 1`,
      [organization.id],
    )
  ).map(({ hours, count }) => [hours, count]);
const pass = (organization: { id: string }, minutes: number) =>
  t.age("user_invitation_sends", { organization_id: organization.id }, { minutes });

test("of 600 invitations in an hour 200 are mailed at once, and 200 in each of the next hours, with links that live seven days from then", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const requests = [many(200), many(200), many(200)];
  const bodies = [];
  for (const rows of requests) bodies.push(await bulk(org.admin, rows));
  expect(bodies.map(({ mailsWaiting }) => mailsWaiting)).toEqual([0, 200, 200]);
  expect(bodies.map(codes)).toEqual(Array(3).fill({ invited: 200 }));
  expect(await waiting(org)).toEqual([1, 2].map((hours) => [hours, 200]));
  const second = requests[1]?.[0]?.email ?? "";
  await sendDue();
  expect(await t.mailTo(second)).toEqual([]);
  // Neither a single invitation nor another organization is changed by the queue.
  expect(outcome(await invite(org.admin))).toBe("429 TOO_MANY_REQUESTS");
  const { email, token } = await invited(t, other.admin);
  expect([(await t.mailTo(email)).length, token === ""]).toEqual([1, false]);

  await pass(org, 61);
  await t.age("user_invitations", { organization_id: org.id }, { minutes: 61 });
  await sendDue();
  expect(await waiting(org)).toEqual([[1, 200]]);
  const { body } = expectStatus(await previewInvitation(t, await tokenFor(t, second)), 200);
  const days = (Date.parse(body.expiresAt) - Date.now()) / 86_400_000;
  expect(days).toBeCloseTo(7, 2);
  // The mails of this hour are those of the queue.
  expect(outcome(await invite(org.admin))).toBe("429 TOO_MANY_REQUESTS");
  for (let hour = 0; hour < 2; hour += 1) {
    await pass(org, 61);
    await sendDue();
  }
  expect(await waiting(org)).toEqual([]);
  expect(outcome(await invite(org.admin))).toBe("201");
}, 120_000);

test("beyond ten mails an hour to one address a mail waits, and a later invitation of the address takes its place", async () => {
  const [org, email] = [await createOrganization(t), uniqueEmail()];
  for (let count = 0; count < 10; count += 1) expectStatus(await invite(org.admin, { email }), 201);
  const rows = [rowOf({ email })];
  expect(await bulk(org.admin, rows)).toMatchObject({ mailsWaiting: 1, rows: [{ outcome: "superseded" }] });
  expect(await bulk(org.admin, rows)).toMatchObject({ mailsWaiting: 1, rows: [{ outcome: "superseded" }] });
  expect(await waiting(org)).toEqual([[1, 1]]);
  await pass(org, 61);
  await sendDue();
  expect(await t.mailTo(email)).toHaveLength(11);
});

test("a mail that waits for the day of its address waits in a request that invites many, too", async () => {
  const email = uniqueEmail();
  for (const org of [await createOrganization(t), await createOrganization(t)])
    for (let count = 0; count < 10; count += 1) expectStatus(await invite(org.admin, { email }), 201);
  const org = await createOrganization(t);
  expect((await bulk(org.admin, [rowOf({ email }), rowOf()])).mailsWaiting).toBe(1);
  expect(await waiting(org)).toEqual([[24, 1]]);
});

test("at most 2,000 mails of an organization wait; further rows are refused, and platform administrators are exempt", async () => {
  const [org, platform] = [await createOrganization(t), await t.platformAdmin()];
  await t.sql(
    `INSERT INTO user_invitation_sends (organization_id, email, sent_at, mail_at, waits)
     SELECT $1, 'waiting' || n || '@example.test', now() + make_interval(hours => n / 200), now() + make_interval(hours => n / 200), true
     FROM generate_series(200, 2198) n`,
    [org.id],
  );
  const dry = await bulk(org.admin, many(3), { dryRun: true });
  expect([codes(dry), dry.mailsWaiting]).toEqual([{ invited: 1, TOO_MANY_REQUESTS: 2 }, 1]);
  const run = await bulk(org.admin, many(3));
  expect([codes(run), run.mailsWaiting]).toEqual([codes(dry), 1]);
  const exempt = await bulk(platform, many(2), actingIn(org));
  expect([codes(exempt), exempt.mailsWaiting]).toEqual([{ invited: 2 }, 0]);
});
