import { expect, test } from "bun:test";
import type { ApiResponse, Caller } from "../../support/caller.ts";
import { type Call, endRound, runRace, sendAtOnce, testInvariants } from "../../support/invitation-races.ts";
import {
  acceptAs,
  acceptNew,
  expire,
  type Invited,
  invite,
  invited,
  listed,
  NEW_ACCOUNT,
  previewInvitation,
  resend,
  revoke,
  settle,
  tokenFor,
} from "../../support/invitations.ts";
import { type AcquiredLock, holdOrganizationLock, holdUserLock } from "../../support/locks.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { FEWER_ROUNDS } from "../../support/race.ts";
import { raceCluster } from "../../support/race-cluster.ts";
import { expectStatus } from "../../support/service.ts";

/*
 * Rules 14.14: of two concurrent calls about one invitation, sent to two processes, exactly one takes effect. The calls
 * run freely, and queued for the organization's lock in either order. Each test fails if src/features/invitations does
 * not read the invitation again under the lock, or writes without a condition.
 */
const { t, urls } = await raceCluster();

const dead = "400 INVALID_OR_EXPIRED_TOKEN";
const missing = "404 NOT_FOUND";

const byNew =
  ({ token }: Invited): Call =>
  (url) =>
    acceptNew(t, token, url);
const byAccount =
  (person: Caller, { token }: Invited): Call =>
  (url) =>
    acceptAs(person.at(url), token);
const revoking =
  ({ admin }: Organization, { id }: Invited): Call =>
  (url) =>
    revoke(admin.at(url), id);
const resending =
  ({ admin }: Organization, { id }: Invited): Call =>
  (url) =>
    resend(admin.at(url), id);
const inviting =
  ({ admin }: Organization, { email }: Invited): Call =>
  (url) =>
    invite(admin.at(url), { email, roles: [{ role: "UNIT_ADMIN" }] });

type Wins = { first: string; second: string };
type Pair = { first: Call; second: Call; hold?: () => Promise<AcquiredLock> };
type Accepting = (invitation: Invited) => Call;

/** Declares a race about one invitation to an address that has no account. */
function overNewAddress(
  name: string,
  wins: Wins,
  pair: (org: Organization, invitation: Invited) => Pair,
  rounds = FEWER_ROUNDS,
) {
  test(name, async () => {
    const org = await createOrganization(t);
    await runRace(t, urls, rounds, wins, async () => {
      const invitation = await invited(t, org.admin);
      await settle(t, invitation);
      return { org, ...pair(org, invitation) };
    });
  });
}

/** Half of the rounds of a race, because each race with an acceptance runs in two variants. */
const HALF = Math.ceil(FEWER_ROUNDS / 2);

/** Declares a race with an acceptance in two variants: by a new account, and by an existing one, which is removed again. */
function withAcceptance(
  name: string,
  wins: Wins,
  pair: (org: Organization, invitation: Invited, accepting: Accepting, person: Caller | null) => Pair,
) {
  const byNobodyYet = (org: Organization, invitation: Invited) => pair(org, invitation, byNew, null);
  overNewAddress(`${name}, by a new account`, wins, byNobodyYet, HALF);
  test(`${name}, by an existing account`, async () => {
    const [org, person] = [await createOrganization(t), await t.person()];
    await runRace(t, urls, HALF, wins, async () => {
      const invitation = await invited(t, org.admin, { email: person.email });
      await settle(t, invitation);
      const accepting: Accepting = (accepted) => byAccount(person, accepted);
      const after = () => org.admin.delete(`/api/members/${idOf(person)}`);
      return { org, ...pair(org, invitation, accepting, person), after };
    });
  });
}

// Acceptances by an existing account share the organization's lock, and wait for the account's lock.
withAcceptance(
  "of two acceptances exactly one creates the member, and for the other the link is invalid",
  { first: `204, ${dead}`, second: `${dead}, 204` },
  (_org, invitation, accepting, person) => ({
    ...(person !== null && { hold: () => holdUserLock(t, person.email) }),
    first: accepting(invitation),
    second: accepting(invitation),
  }),
);

withAcceptance(
  "of a revocation and an acceptance exactly one takes effect",
  { first: `204, ${dead}`, second: `${missing}, 204` },
  (org, invitation, accepting) => ({ first: revoking(org, invitation), second: accepting(invitation) }),
);

withAcceptance(
  "a new invitation of the address invalidates the link before it is accepted, or is ALREADY_MEMBER",
  { first: `201, ${dead}`, second: "409 ALREADY_MEMBER, 204" },
  (org, invitation, accepting) => ({ first: inviting(org, invitation), second: accepting(invitation) }),
);

withAcceptance(
  "a resent invitation cannot be accepted with the old link, and an accepted one cannot be resent",
  { first: `204, ${dead}`, second: `${missing}, 204` },
  (org, invitation, accepting) => ({ first: resending(org, invitation), second: accepting(invitation) }),
);

overNewAddress(
  "a revoked invitation cannot be resent, and a resent one can be revoked",
  { first: "204, 204", second: `${missing}, 204` },
  (org, invitation) => ({ first: resending(org, invitation), second: revoking(org, invitation) }),
);

overNewAddress(
  "of two resends exactly one is mailed, and the other is RESENT_TOO_RECENTLY",
  { first: "204, 400 RESENT_TOO_RECENTLY", second: "400 RESENT_TOO_RECENTLY, 204" },
  (org, invitation) => ({ first: resending(org, invitation), second: resending(org, invitation) }),
);

overNewAddress(
  "of two revocations of an invitation exactly one takes effect",
  { first: `204, ${missing}`, second: `${missing}, 204` },
  (org, invitation) => ({ first: revoking(org, invitation), second: revoking(org, invitation) }),
);

overNewAddress(
  "a superseded invitation cannot be resent, and a resent one can be superseded",
  { first: "204, 201", second: `${missing}, 201` },
  (org, invitation) => ({ first: resending(org, invitation), second: inviting(org, invitation) }),
);

test("of many concurrent acceptances exactly one succeeds, and for the others the link is invalid", async () => {
  const org = await createOrganization(t);
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const invitation = await invited(t, org.admin);
    const lock = await holdOrganizationLock(t, org.id);
    const first = byNew(invitation)(urls[0] ?? "");
    await lock.waiting(1);
    let isOver = false;
    first.finally(() => {
      isOver = true;
    });
    const released = lock.release();
    const others: Promise<ApiResponse>[] = [];
    do {
      others.push(byNew(invitation)(urls[1] ?? ""));
      await t.sql("SELECT");
    } while (!isOver && others.length < 40);
    await released;
    const outcomes = (await Promise.all([first, ...others])).map(outcome);
    // Some are 429, because two acceptances with this address already wait for their password hash.
    const checked = outcomes.filter((got) => got !== "429 TOO_MANY_REQUESTS");
    expect([...new Set(checked)]).toEqual(["204", dead]);
    expect(outcomes.filter((got) => got === "204")).toHaveLength(1);
    await endRound(t, org);
  }
});

test("of two concurrent resends of an expired invitation exactly one succeeds, and its sender becomes the inviter", async () => {
  const org = await createOrganization(t);
  const other = await org.member({ role: "ORG_ADMIN" });
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const invitation = await invited(t, org.admin);
    await expire(t, invitation);
    const outcomes = await sendAtOnce(
      urls,
      round,
      (url) => resend(org.admin.at(url), invitation.id),
      (url) => resend(other.at(url), invitation.id),
    );
    const tooEarly = "400 RESENT_TOO_RECENTLY";
    expect([`204, ${tooEarly}`, `${tooEarly}, 204`]).toContain(outcomes);
    const [row] = (await listed(org.admin)).data;
    const sender = outcomes.startsWith("204") ? org.admin : other;
    expect(row).toMatchObject({ id: invitation.id, expired: false, invitedBy: { id: idOf(sender) } });
    expectStatus(await previewInvitation(t, await tokenFor(t, invitation.email)), 200);
    await endRound(t, org);
  }
});

test("if an address registers while its invitation is accepted, one account is created and the other request is refused", async () => {
  const org = await createOrganization(t);
  const names = { firstName: "Ada", lastName: "Lovelace" };
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const invitation = await invited(t, org.admin);
    const { email } = invitation;
    const body = { email, password: NEW_ACCOUNT.password, ...names };
    const register: Call = (url) => t.anonymous(url).post("/api/auth/register", body);
    const outcomes = await sendAtOnce(urls, round, byNew(invitation), register);
    expect(["204, 409 EMAIL_TAKEN", "409 EMAIL_TAKEN, 202"]).toContain(outcomes);
    const looked = outcome(await previewInvitation(t, invitation.token));
    expect(looked).toBe(outcomes.startsWith("204") ? dead : "200");
    await endRound(t, org);
  }
});

testInvariants(t);
