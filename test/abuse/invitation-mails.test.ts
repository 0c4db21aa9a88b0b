import { expect, test } from "bun:test";
import { tokenHash } from "../../src/platform/crypto.ts";
import type { ApiResponse } from "../support/caller.ts";
import { invite, invited, previewInvitation, resend, revoke, settle } from "../support/invitations.ts";
import { createOrganization, type Organization } from "../support/organizations.ts";
import { actingIn, outcome } from "../support/outcomes.ts";
import { race } from "../support/race.ts";
import { expectStatus, startService, uniqueEmail } from "../support/service.ts";

const t = await startService();
const [other] = await t.cluster(1);

const tooMany = "429 TOO_MANY_REQUESTS";
const times = (count: number, word: string) => Array<string>(count).fill(word);
const outcomes = (responses: ApiResponse[]) => responses.map(outcome).sort();
const founded = (count: number) => Promise.all(Array.from({ length: count }, () => createOrganization(t)));
/** Invites an address, alternately through two processes. */
const asks = ({ admin }: Organization, email: string, index: number) =>
  invite(index % 2 ? admin.at(other?.url ?? "") : admin, { email });
const mails = async (email: string) => (await t.mailTo(email)).length;
const retryAfter = (response: ApiResponse) => Number(response.headers.get("retry-after"));

test("of 30 concurrent invitations from one organization to one address ten are mailed, and the next one an hour later", async () => {
  const [org, email] = [await createOrganization(t), uniqueEmail()];
  const responses = await race(30, (index) => asks(org, email, index));
  expect(outcomes(responses)).toEqual([...times(10, "201"), ...times(20, tooMany)]);
  for (const response of responses.filter(({ status }) => status === 429))
    expect(retryAfter(response)).toBeWithin(3_500, 3_601);
  expect(await mails(email)).toBe(10);
  expect(outcome(await asks(org, uniqueEmail(), 0))).toBe("201");

  await t.age("user_invitation_sends", { organization_id: org.id }, { minutes: 59 });
  expect(outcome(await asks(org, email, 0))).toBe(tooMany);
  await t.age("user_invitation_sends", { organization_id: org.id }, { minutes: 1 });
  expect(outcome(await asks(org, email, 0))).toBe("201");
});

/** Runs the job that mails the invitations that are due. */
async function sendDue() {
  await t.sql("INSERT INTO pgboss.job (name) VALUES ('invitations.mail')");
  await t.drain();
}
/** Runs the nightly job that deletes old rows. */
async function cleanUp() {
  await t.sql("INSERT INTO pgboss.job (name) VALUES ('sessions.clean-up')");
  await t.drain();
}
const waiting = (email: string) =>
  t.sql<{ organization_id: string; hours: number }>(
    `SELECT organization_id, round(extract(epoch FROM mail_at - now()) / 3600)::int AS hours
     FROM user_invitation_sends WHERE email = $1 AND waits ORDER BY mail_at, id`,
    [email],
  );
/** Returns the hashes of the tokens in the mails to an address. */
const mailedHashes = async (email: string) =>
  (await t.mailTo(email)).flatMap(({ links }) =>
    links.map((link) => tokenHash(new URL(link).searchParams.get("token") ?? "")),
  );
/** Returns an address that has received today's maximum of 20 invitation mails. */
async function fullAddress() {
  const email = uniqueEmail();
  for (const org of await founded(2))
    for (let count = 0; count < 10; count += 1) expectStatus(await asks(org, email, count), 201);
  return email;
}

test("30 concurrent invitations from 15 organizations to one address are all created; 20 are mailed at once, the others a day later", async () => {
  const [organizations, email] = [await founded(15), uniqueEmail()];
  const responses = await race(30, (index) => asks(organizations[index % 15] as Organization, email, index));
  expect(outcomes(responses)).toEqual(times(30, "201"));
  await sendDue();
  expect(await mails(email)).toBe(20);
  const late = await waiting(email);
  expect(late.length).toBeWithin(5, 11);
  expect(new Set(late.map((row) => row.organization_id)).size).toBe(late.length);

  const fresh = await createOrganization(t);
  expectStatus(await asks(fresh, email.toUpperCase(), 0), 201);
  expect(outcome(await asks(fresh, uniqueEmail(), 0))).toBe("201");
  await t.age("user_invitation_sends", { email }, { hours: 23 });
  await sendDue();
  expect(await mails(email)).toBe(20);
  await t.age("user_invitation_sends", { email }, { hours: 1 });
  await sendDue();
  expect(await mails(email)).toBe(20 + late.length + 1);
  expect(await waiting(email)).toEqual([]);
  const pending = await t.sql<{ token_hash: string }>(
    "SELECT token_hash FROM user_invitations WHERE email = $1 AND NOT is_deleted",
    [email],
  );
  expect(pending).toHaveLength(16);
  const hashes = new Set(await mailedHashes(email));
  for (const row of pending) expect(hashes).toContain(row.token_hash);
});

test("repeated invitations of one address occupy one place in the queue of waiting mails and do not delay other organizations", async () => {
  const [email, loud, quiet] = [
    await fullAddress(),
    await createOrganization(t),
    await createOrganization(t),
  ];
  for (let count = 0; count < 9; count += 1) expectStatus(await asks(loud, email, count), 201);
  expectStatus(await asks(quiet, email, 0), 201);
  expect(await waiting(email)).toEqual([loud, quiet].map(({ id }) => ({ organization_id: id, hours: 24 })));
  // Ten invitations within an hour are allowed, whether they wait or not; the next is refused.
  expectStatus(await asks(loud, email, 0), 201);
  expect(outcome(await asks(loud, email, 0))).toBe(tooMany);
  await t.age("user_invitation_sends", { email }, { days: 1 });
  await sendDue();
  expect(await mails(email)).toBe(22);
});

test("waiting invitation mails are sent in order, twenty per day and address", async () => {
  const email = await fullAddress();
  for (const org of await founded(21)) expectStatus(await asks(org, email, 0), 201);
  expect((await waiting(email)).map(({ hours }) => hours)).toEqual([...Array(20).fill(24), 48]);
});

test("the mail of a revoked invitation is not sent, and that of a suspended organization is sent when it is active again", async () => {
  const [email, platform] = [await fullAddress(), await t.platformAdmin()];
  const [gone, suspended] = [await createOrganization(t), await createOrganization(t)];
  const { id } = expectStatus(await asks(gone, email, 0), 201).body;
  expectStatus(await asks(suspended, email, 0), 201);
  expectStatus(await revoke(gone.admin, id), 204);
  const set = async (status: string) =>
    expectStatus(await platform.patch(`/api/organizations/${suspended.id}/status`, { status }), 200);
  await set("SUSPENDED");
  await t.age("user_invitation_sends", { email }, { days: 1 });
  await sendDue();
  expect(await mails(email)).toBe(20);
  await set("ACTIVE");
  await sendDue();
  await sendDue();
  expect(await mails(email)).toBe(21);
});

test("the mail of an organization that was suspended for days is sent later, and its link is valid for seven days from then", async () => {
  const [email, platform, org] = [await fullAddress(), await t.platformAdmin(), await createOrganization(t)];
  const { id } = expectStatus(await asks(org, email, 0), 201).body;
  const set = async (status: string) =>
    expectStatus(await platform.patch(`/api/organizations/${org.id}/status`, { status }), 200);
  await set("SUSPENDED");
  await t.age("user_invitation_sends", { email }, { days: 3 });
  await t.age("user_invitations", { id }, { days: 3 });
  await cleanUp();
  await set("ACTIVE");
  await sendDue();
  expect(await mails(email)).toBe(21);
  const [row] = await t.sql<{ days: number; hours: number }>(
    `SELECT extract(epoch FROM expires_at - now()) / 86400 AS days, extract(epoch FROM now() - last_sent_at) / 3600 AS hours
     FROM user_invitations WHERE id = $1`,
    [id],
  );
  expect(Number(row?.days)).toBeCloseTo(7, 1);
  expect(Number(row?.hours)).toBeCloseTo(0, 1);

  // A waiting mail is deleted once its invitation can no longer be sent.
  await org.admin.login();
  expectStatus(await asks(org, email, 1), 201);
  await t.age("user_invitation_sends", { email }, { days: 8 });
  await cleanUp();
  expect(await waiting(email)).toEqual([]);
});

test("if a resent invitation mail must wait, the old link stays valid until the new mail is sent", async () => {
  const [org, email] = [await createOrganization(t), uniqueEmail()];
  const invitation = await invited(t, org.admin, { email });
  const others = await founded(2);
  for (let count = 0; count < 19; count += 1)
    expectStatus(await asks(others[count % 2] as Organization, email, 0), 201);
  await settle(t, invitation);
  expectStatus(await resend(org.admin, invitation.id), 204);
  expectStatus(await previewInvitation(t, invitation.token), 200);
  expect(await mails(email)).toBe(20);
  await t.age("user_invitation_sends", { email }, { days: 1 });
  await sendDue();
  expect(await mails(email)).toBe(21);
  expectStatus(await previewInvitation(t, invitation.token), 400);
});

test("an invitation mail that is resent before the waiting one is due replaces it", async () => {
  const [email, org] = [await fullAddress(), await createOrganization(t)];
  expectStatus(await asks(org, email, 0), 201);
  await t.age("user_invitation_sends", { email }, { days: 1 });
  const { id } = await invited(t, org.admin, { email });
  await sendDue();
  expect(await mails(email)).toBe(21);
  const [row] = await t.sql<{ token_hash: string }>("SELECT token_hash FROM user_invitations WHERE id = $1", [
    id,
  ]);
  expect(await mailedHashes(email)).toContain(row?.token_hash ?? "");
});

test("superseding an invitation, inviting again after a revocation, and resending count equally towards the mail limits", async () => {
  const [org, email] = [await createOrganization(t), uniqueEmail()];
  let invitation = await invited(t, org.admin, { email });
  for (let count = 1; count < 10; count += 1) {
    await settle(t, invitation);
    if (count % 3 === 0) expectStatus(await resend(org.admin, invitation.id), 204);
    else {
      if (count % 3 === 1) expectStatus(await revoke(org.admin, invitation.id), 204);
      invitation = await invited(t, org.admin, { email });
    }
  }
  expect(outcome(await asks(org, email, 0))).toBe(tooMany);
  await settle(t, invitation);
  expect(outcome(await resend(org.admin, invitation.id))).toBe(tooMany);
  expect(await mails(email)).toBe(10);
});

test("platform administrators have no limit per address, but their invitations count towards the limits of others", async () => {
  const [org, platform, email] = [await createOrganization(t), await t.platformAdmin(), uniqueEmail()];
  for (let count = 0; count < 12; count += 1)
    expectStatus(await invite(platform, { email, ...actingIn(org) }), 201);
  expect(outcome(await asks(org, email, 0))).toBe(tooMany);
  expectStatus(await platform.post("/api/organizations", { name: "Acme", ownerEmail: email }), 201);
  expect(await mails(email)).toBe(13);
});

test("invitations that are refused for another reason do not count towards the mail limits", async () => {
  const [org, email] = [await createOrganization(t), uniqueEmail()];
  for (let count = 0; count < 12; count += 1)
    expect(outcome(await invite(org.admin, { email, roles: [{ role: crypto.randomUUID() }] }))).toBe(
      "400 VALIDATION_FAILED",
    );
  expect(outcome(await asks(org, email, 0))).toBe("201");
});
