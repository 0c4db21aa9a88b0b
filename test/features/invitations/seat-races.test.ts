import { expect, test } from "bun:test";
import {
  type Call,
  endRound,
  sendAtOnce,
  sendInOrder,
  testInvariants,
} from "../../support/invitation-races.ts";
import { acceptAs, expire, invite, invited, listed, resend, revoke } from "../../support/invitations.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { planFiles, setPlanOverride } from "../../support/plans.ts";
import { FEWER_ROUNDS, race } from "../../support/race.ts";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";

/*
 * Concurrent calls to two instances for the last seat of a plan or the last invitation mail of an hour. Each test
 * fails if src/features/invitations counts before it has the organization's lock.
 */
const planFile = planFiles();
const MAX = 4;
const t = await startService({
  JWT_ACCESS_TTL: "2h",
  BILLING_PLANS_FILE: planFile({
    plans: [
      { key: "open", limits: {}, features: [], paid: false },
      { key: "small", limits: { members: MAX }, features: [], paid: false },
      { key: "one", limits: { members: 1 }, features: [], paid: false },
    ],
    defaultPlan: "open",
    trial: null,
  }),
});
const urls = [t.url, (await t.beside()).url];
const url = (index: number) => urls[index % 2] ?? t.url;

const full = "403 PLAN_LIMIT_REACHED";
const admin = await t.platformAdmin();

/** Creates an organization whose plan has four seats; its founder uses one. */
async function ofFew() {
  const org = await createOrganization(t);
  await setPlanOverride(admin, org, "small");
  return org;
}

/** Revokes all pending invitations, then invites until one seat is free. */
async function leaveOnePlace(org: Organization) {
  for (const { id } of (await listed(org.admin, "pageSize=100")).data)
    expectStatus(await revoke(org.admin, id), 204);
  while ((await seatsOf(org)) < MAX - 1) expectStatus(await invite(org.admin), 201);
}

/** Returns the number of members and valid invitations. */
async function seatsOf({ id }: { id: string }): Promise<number> {
  const [row] = await t.sql<{ seats: number }>(
    `SELECT ((SELECT count(*) FROM memberships WHERE organization_id = $1 AND NOT is_deleted)
       + (SELECT count(*) FROM pending_invitations WHERE organization_id = $1 AND is_usable))::int AS seats`,
    [id],
  );
  return row?.seats ?? -1;
}

test("of twenty concurrent invitations for one free seat exactly one is sent", async () => {
  const org = await ofFew();
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    await leaveOnePlace(org);
    const responses = await race(20, (index) => invite(org.admin.at(url(index))));
    expect(responses.map(outcome).toSorted()).toEqual(["201", ...Array(19).fill(full)]);
    const refused = responses.filter(({ status }) => status === 403);
    for (const { body } of refused) expect(body.details).toEqual({ limit: "members", max: MAX, used: MAX });
    expect(await seatsOf(org)).toBe(MAX);
    await endRound(t, org);
  }
});

test("concurrent invitations of one address share one free seat", async () => {
  const org = await ofFew();
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    await leaveOnePlace(org);
    const emails = [uniqueEmail(), uniqueEmail()];
    const responses = await race(12, async (index) => {
      const email = emails[index % 2] ?? "";
      return { email, got: outcome(await invite(org.admin.at(url(index)), { email })) };
    });
    const out = responses.filter(({ got }) => got === "201");
    expect(out).toHaveLength(6);
    expect(new Set(out.map(({ email }) => email)).size).toBe(1);
    expect(responses.filter(({ got }) => got === full)).toHaveLength(6);
    expect(await seatsOf(org)).toBe(MAX);
    await endRound(t, org);
  }
});

test("of a new invitation and a resend of an expired one exactly one gets the last seat", async () => {
  const org = await ofFew();
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    await leaveOnePlace(org);
    const again = await invited(t, org.admin);
    await expire(t, again);
    const inviting: Call = (at) => invite(org.admin.at(at));
    const resending: Call = (at) => resend(org.admin.at(at), again.id);
    const outcomes =
      round % 2 === 0
        ? await sendAtOnce(urls, round, inviting, resending)
        : (await sendInOrder(t, org, urls, [inviting, resending])).join(", ");
    expect([`201, ${full}`, ...(round % 2 === 0 ? [`${full}, 204`] : [])]).toContain(outcomes);
    expect(await seatsOf(org)).toBe(MAX);
    await endRound(t, org);
  }
});

test("concurrent invitations, acceptances, revocations and departures never exceed the plan's seats", async () => {
  const [org, person] = [await ofFew(), await t.person()];
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    await leaveOnePlace(org);
    const { data } = await listed(org.admin);
    const joining = await invited(t, org.admin, { email: person.email });
    const responses = await race(16, (index) => {
      const at = url(index + round);
      if (index === 3) return revoke(org.admin.at(at), data[0]?.id ?? "");
      if (index === 5) return acceptAs(person.at(at), joining.token);
      return invite(org.admin.at(at));
    });
    const outcomes = responses.map(outcome);
    expect([outcomes[3], outcomes[5]]).toEqual(["204", "204"]);
    const sent = outcomes.filter((got) => got === "201").length;
    expect(outcomes.filter((got) => got === full)).toHaveLength(14 - sent);
    expect(sent).toBeLessThanOrEqual(1);
    expect(await seatsOf(org)).toBe(MAX - 1 + sent);
    await endRound(t, org);

    const [gone, ...invitations] = await race(12, (index) =>
      index === 0
        ? org.admin.at(url(round)).delete(`/api/members/${idOf(person)}`)
        : invite(org.admin.at(url(index))),
    );
    expect(outcome(gone as NonNullable<typeof gone>)).toBe("204");
    const more = invitations.filter(({ status }) => status === 201).length;
    expect(await seatsOf(org)).toBe(MAX - 2 + sent + more);
    expect(MAX - 2 + sent + more).toBeLessThanOrEqual(MAX);
    await endRound(t, org);
  }
});

test("an invitation that waits for the lock while the plan gets smaller is refused; earlier ones stay", async () => {
  const org = await ofFew();
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    await leaveOnePlace(org);
    const shrink: Call = (at) =>
      admin.at(at).patch(`/api/organizations/${org.id}/plan`, { planOverride: "one" });
    const call: Call = (at) => invite(org.admin.at(at));
    const isFirst = round % 2 === 0;
    const outcomes = await sendInOrder(t, org, urls, isFirst ? [call, shrink] : [shrink, call]);
    expect(outcomes).toEqual(isFirst ? ["201", "200"] : ["200", full]);
    await setPlanOverride(admin, org, "small");
    await endRound(t, org);
  }
});

test("of ten concurrent invitations for the last mail of the hour exactly one is sent", async () => {
  const org = await createOrganization(t);
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const sent = await t.sql<{ id: string }>(
      `INSERT INTO user_invitation_sends (organization_id)
         SELECT $1 FROM generate_series(1, 199) RETURNING id`,
      [org.id],
    );
    const responses = await race(10, (index) => invite(org.admin.at(url(index))));
    expect(responses.map(outcome).toSorted()).toEqual(["201", ...Array(9).fill("429 TOO_MANY_REQUESTS")]);
    // Removes the records that were inserted above.
    await t.sql("DELETE FROM user_invitation_sends WHERE id = ANY ($1::uuid[])", [
      `{${sent.map(({ id }) => id).join()}}`,
    ]);
    await endRound(t, org);
  }
});

testInvariants(t);
