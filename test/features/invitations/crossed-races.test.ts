import { expect, test } from "bun:test";
import type { ApiResponse } from "../../support/caller.ts";
import { endRound, testInvariants } from "../../support/invitation-races.ts";
import { acceptAs, acceptNew, invite, invited, resend, revoke, settle } from "../../support/invitations.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { actingIn, idOf, outcome } from "../../support/outcomes.ts";
import { FEWER_ROUNDS } from "../../support/race.ts";
import { raceCluster } from "../../support/race-cluster.ts";
import { uniqueEmail } from "../../support/service.ts";

/*
 * Concurrent calls to three processes that need the locks of the same organizations, accounts and units in different
 * orders: no call fails because of a deadlock.
 */
const { t, ...cluster } = await raceCluster();
const urls = [t.url, ...cluster.urls];
let calls = 0;
/** Returns the URLs of the three processes in turn. */
const next = () => {
  calls += 1;
  return urls[calls % 3] ?? t.url;
};

/** Returns the distinct outcomes of concurrent calls. */
const kindsOf = async (sent: Promise<ApiResponse>[]) =>
  [...new Set((await Promise.all(sent)).map(outcome))].toSorted();

function expectOnly(kinds: string[], allowed: string[]) {
  expect(kinds.filter((kind) => !allowed.includes(kind))).toEqual([]);
}

const admin = await t.platformAdmin();
const inviteTo = (
  { id, admin: founder }: Organization,
  email: string,
  unit: string | null,
  byFounder: boolean,
) => {
  const roles = [{ role: "MEMBER" }, { role: "MEMBER", unit }];
  return byFounder
    ? invite(founder.at(next()), { email, roles })
    : invite(admin.at(next()), { email, roles, ...actingIn({ id }) });
};

test("inviting the same addresses to units of two organizations while the units are deleted causes no deadlock", async () => {
  const [left, right] = [await createOrganization(t), await createOrganization(t)];
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const emails = [uniqueEmail(), uniqueEmail()];
    const places: [Organization, string][] = [];
    for (const org of [left, right])
      for (const name of ["A", "B"]) places.push([org, await org.unit(`${name} ${round}`)]);
    const sent: Promise<ApiResponse>[] = [];
    for (const [index, email] of [...emails, ...emails.toReversed()].entries()) {
      const order = index % 2 === 0 ? places : places.toReversed();
      for (const [org, unit] of order) {
        sent.push(inviteTo(org, email, unit, index % 2 === 0));
        if (index > 1) sent.push(org.admin.at(next()).delete(`/api/units/${unit}`));
      }
    }
    const refusals = ["400 VALIDATION_FAILED", "404 NOT_FOUND", "409 UNIT_NOT_EMPTY"];
    expectOnly(await kindsOf(sent), ["201", "204", ...refusals]);
    await endRound(t, left, right);
  }
});

test("two users can accept each other's invitations while both are invited again, without a deadlock", async () => {
  const [left, right] = [await createOrganization(t), await createOrganization(t)];
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const toRight = await invited(t, right.admin, { email: left.admin.email });
    const toLeft = await invited(t, left.admin, { email: right.admin.email });
    const sent = [
      acceptAs(left.admin.at(next()), toRight.token),
      acceptAs(right.admin.at(next()), toLeft.token),
      inviteTo(left, right.admin.email, null, false),
      inviteTo(right, left.admin.email, null, false),
      acceptAs(right.admin.at(next()), toLeft.token),
      acceptAs(left.admin.at(next()), toRight.token),
    ];
    expectOnly(await kindsOf(sent), ["201", "204", "400 INVALID_OR_EXPIRED_TOKEN", "409 ALREADY_MEMBER"]);
    await endRound(t, left, right);
    const leave = (org: Organization, userId: string) =>
      org.admin.at(next()).delete(`/api/members/${userId}`);
    const going = [leave(left, idOf(right.admin)), leave(right, idOf(left.admin))];
    expectOnly(await kindsOf(going), ["204", "404 NOT_FOUND"]);
  }
});

test("accepting, resending, revoking and superseding one invitation concurrently causes no deadlock", async () => {
  const org = await createOrganization(t);
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const unit = await org.unit(`Unit ${round}`);
    const roles = [{ role: "MEMBER", unit }];
    const { id, email, token } = await invited(t, org.admin, { roles });
    await settle(t, { id });
    const named = actingIn(org);
    const sent = [
      acceptNew(t, token, next()),
      revoke(org.admin.at(next()), id),
      resend(admin.at(next()), id, named),
      invite(org.admin.at(next()), { email, roles }),
      org.admin.at(next()).delete(`/api/units/${unit}`),
      acceptNew(t, token, next()),
      resend(org.admin.at(next()), id),
      revoke(admin.at(next()), id, named),
    ];
    const [first, revoked, , , , second, , again] = (await Promise.all(sent)).map(outcome);
    expect([first, second].filter((got) => got === "204").length).toBeLessThanOrEqual(1);
    expect([revoked, again].filter((got) => got === "204").length).toBeLessThanOrEqual(1);
    expectOnly(await kindsOf(sent), [
      "201",
      "204",
      "400 INVALID_OR_EXPIRED_TOKEN",
      "400 RESENT_TOO_RECENTLY",
      "400 VALIDATION_FAILED",
      "404 NOT_FOUND",
      "409 ALREADY_MEMBER",
      "409 UNIT_NOT_EMPTY",
    ]);
    await endRound(t, org);
  }
});

test("deleting a member of two organizations while both invite others and the member joins a third causes no deadlock", async () => {
  const [left, right, third] = [
    await createOrganization(t),
    await createOrganization(t),
    await createOrganization(t),
  ];
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const person = await left.member({ role: "ORG_ADMIN" });
    await right.add(person, { role: "ORG_ADMIN" });
    const { token } = await invited(t, third.admin, { email: person.email });
    const theirs = await invited(t, person);
    const sent = [
      acceptNew(t, theirs.token, next()),
      acceptAs(person.at(next()), token),
      inviteTo(right, uniqueEmail(), null, true),
      admin.at(next()).delete(`/api/users/${idOf(person)}`),
      inviteTo(left, uniqueEmail(), null, false),
      invite(person.at(next())),
    ];
    expectOnly(await kindsOf(sent), [
      "201",
      "204",
      "400 INVALID_OR_EXPIRED_TOKEN",
      "401 UNAUTHENTICATED",
      "403 FORBIDDEN",
    ]);
    expect(outcome((await sent[3]) as ApiResponse)).toBe("204");
    await endRound(t, left, right, third);
  }
});

testInvariants(t);
