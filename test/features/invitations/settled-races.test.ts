import { expect, test } from "bun:test";
import {
  type Call,
  endRound,
  runRace,
  sendAtOnce,
  sendInOrder,
  testInvariants,
} from "../../support/invitation-races.ts";
import {
  acceptAs,
  acceptNew,
  invite,
  invited,
  listed,
  NEW_ACCOUNT,
  previewInvitation,
  tokenFor,
} from "../../support/invitations.ts";
import { holdUserRow } from "../../support/locks.ts";
import { createOrganization } from "../../support/organizations.ts";
import { actingIn, eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { FEWER_ROUNDS, race } from "../../support/race.ts";
import { raceCluster } from "../../support/race-cluster.ts";
import { expectStatus, uniqueEmail } from "../../support/service.ts";

/*
 * Rules 14.15: writes of one organization, sent to two processes, are serialized. Each test fails if a route does not
 * begin with lockOrganization.
 */
const { t, urls } = await raceCluster();

const dead = "400 INVALID_OR_EXPIRED_TOKEN";
const invalid = "400 VALIDATION_FAILED";

test("of concurrent invitations of one address the last one stays valid, and each event names the invitation that it superseded", async () => {
  const org = await createOrganization(t);
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const email = uniqueEmail();
    const call: Call = (url) => invite(org.admin.at(url), { email });
    // At most four when queued: each of the two processes lets two writes of an account wait for the lock.
    const count = round % 2 === 0 ? 6 : 4;
    const outcomes =
      round % 2 === 0
        ? (await race(count, (index) => call(urls[index % 2] ?? ""))).map(outcome)
        : await sendInOrder(t, org, urls, Array(count).fill(call));
    expect(outcomes).toEqual(Array(count).fill("201"));
    await endRound(t, org);

    const events = (await eventsIn(t, org, "USER_INVITED")).filter(
      ({ metadata }) => metadata.email === email,
    );
    const { data } = await listed(org.admin, `search=${email}`);
    expect(data.map(({ id }) => id)).toEqual([events.at(-1)?.target_id as string]);
    expect(events.map(({ metadata }) => metadata.supersededId)).toEqual([
      null,
      ...events.slice(0, -1).map(({ target_id }) => target_id),
    ]);
    const links = (await t.mailTo(email)).flatMap((mail) => mail.links);
    const looks = await Promise.all(
      links.map((link) => previewInvitation(t, new URL(link).searchParams.get("token") ?? "")),
    );
    expect(looks.map(outcome).toSorted()).toEqual(["200", ...Array(count - 1).fill(dead)]);
  }
});

test("deleting a unit concurrently with an invitation to it succeeds or is UNIT_NOT_EMPTY", async () => {
  const org = await createOrganization(t);
  const wins = { first: "201, 409 UNIT_NOT_EMPTY", second: `${invalid}, 204` };
  await runRace(t, urls, FEWER_ROUNDS, wins, async (name) => {
    const unit = await org.unit(name);
    const roles = [{ role: "MEMBER" }, { role: "MEMBER", unit }];
    return {
      org,
      first: (url) => invite(org.admin.at(url), { roles }),
      second: (url) => org.admin.at(url).delete(`/api/units/${unit}`),
    };
  });
});

test("deleting a role concurrently with an invitation to it succeeds or is ROLE_IN_USE", async () => {
  const org = await createOrganization(t);
  const wins = { first: "201, 409 ROLE_IN_USE", second: `${invalid}, 204` };
  await runRace(t, urls, FEWER_ROUNDS, wins, async (name) => {
    const role = await org.role(name, "Units.Read");
    return {
      org,
      first: (url) => invite(org.admin.at(url), { roles: [{ role }] }),
      second: (url) => org.admin.at(url).delete(`/api/roles/${role}`),
    };
  });
});

test("deleting a unit concurrently with the acceptance of an invitation to it is UNIT_NOT_EMPTY in either order", async () => {
  const org = await createOrganization(t);
  const wins = { first: "204, 409 UNIT_NOT_EMPTY", second: "204, 409 UNIT_NOT_EMPTY" };
  await runRace(t, urls, FEWER_ROUNDS, wins, async (name) => {
    const unit = await org.unit(name);
    const { token } = await invited(t, org.admin, { roles: [{ role: "MEMBER", unit }] });
    return {
      org,
      first: (url) => acceptNew(t, token, url),
      second: (url) => org.admin.at(url).delete(`/api/units/${unit}`),
    };
  });
});

// The test fails without pg_advisory_xact_lock_shared in lockForAcceptance (sql/locks.sql).
test("an acceptance does not wait for other acceptances of the organization; other writes of it wait for all of them", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("East");
  const roles = [{ role: "MEMBER", unit }];
  const [slow, quick] = [await t.person(), await t.person()];
  const [ofSlow, ofQuick] = [
    await invited(t, org.admin, { email: slow.email, roles }),
    await invited(t, org.admin, { email: quick.email }),
  ];
  const row = await holdUserRow(t, slow.email);
  const accepting = acceptAs(slow.at(urls[0] ?? ""), ofSlow.token);
  await row.waiting(1);
  expectStatus(await acceptAs(quick.at(urls[1] ?? ""), ofQuick.token), 204);
  const deleting = org.admin.delete(`/api/units/${unit}`);
  await row.waiting(2);
  await row.release();
  expect([outcome(await accepting), outcome(await deleting)]).toEqual(["204", "409 UNIT_NOT_EMPTY"]);
});

/** Declares a race between an acceptance and the removal of its inviter: it succeeds before, or its link is invalid. */
function againstInviter(name: string, goes: "is removed" | "leaves") {
  test(name, async () => {
    const [org, person] = [await createOrganization(t), await t.person()];
    const inviter = await org.member({ role: "ORG_ADMIN" });
    await runRace(t, urls, FEWER_ROUNDS, { first: "204, 204", second: `${dead}, 204` }, async () => {
      const { token } = await invited(t, inviter, { email: person.email });
      const going: Call = (url) =>
        goes === "leaves"
          ? inviter.at(url).post("/api/organization/leave")
          : org.admin.at(url).delete(`/api/members/${idOf(inviter)}`);
      const after = async () => {
        await org.admin.delete(`/api/members/${idOf(person)}`);
        await org.add(inviter, { role: "ORG_ADMIN" });
        // The removal has ended the inviter's session.
        if (goes === "is removed") await inviter.login();
      };
      return { org, first: (url) => acceptAs(person.at(url), token), second: going, after };
    });
  });
}
againstInviter(
  "an invitation is accepted before its inviter is removed, or its link is invalid",
  "is removed",
);
againstInviter("an invitation is accepted before its inviter leaves, or its link is invalid", "leaves");

test("an acceptance concurrent with the suspension of the organization succeeds before it or is refused", async () => {
  const [org, admin] = [await createOrganization(t), await t.platformAdmin()];
  const path = `/api/organizations/${org.id}/status`;
  const wins = { first: "204, 200", second: "400 ORGANIZATION_SUSPENDED, 200" };
  await runRace(t, urls, FEWER_ROUNDS, wins, async () => {
    const { token } = await invited(t, admin, actingIn(org));
    return {
      org,
      first: (url) => acceptNew(t, token, url),
      second: (url) => admin.at(url).patch(path, { status: "SUSPENDED" }),
      after: async () => expectStatus(await admin.patch(path, { status: "ACTIVE" }), 200),
    };
  });
});

test("an account that is deleted while it accepts an invitation has no membership afterwards", async () => {
  const [org, admin] = [await createOrganization(t), await t.platformAdmin()];
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const person = await t.person();
    const { token } = await invited(t, org.admin, { email: person.email });
    const accepting: Call = (url) => acceptAs(person.at(url), token);
    const deleting: Call = (url) => admin.at(url).delete(`/api/users/${idOf(person)}`);
    const outcomes = await sendAtOnce(urls, round, accepting, deleting);
    expect(["204, 204", "401 UNAUTHENTICATED, 204"]).toContain(outcomes);
    await endRound(t, org);
    const removed = (await eventsIn(t, org, "MEMBER_REMOVED")).filter(
      ({ target_id }) => target_id === idOf(person),
    );
    expect(removed).toHaveLength(outcomes.startsWith("204") ? 1 : 0);
  }
});

test("an address that concurrently accepts invitations of two organizations with a new account gets one account", async () => {
  const [left, right] = [await createOrganization(t), await createOrganization(t)];
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const email = uniqueEmail();
    const tokens: string[] = [];
    for (const { admin } of [left, right]) {
      expectStatus(await invite(admin, { email }), 201);
      tokens.push(await tokenFor(t, email));
    }
    const [first = "", second = ""] = tokens;
    const outcomes = await sendAtOnce(
      urls,
      round,
      (url) => acceptNew(t, first, url),
      (url) => acceptNew(t, second, url),
    );
    expect(["204, 409 EMAIL_TAKEN", "409 EMAIL_TAKEN, 204"]).toContain(outcomes);
    await endRound(t, left, right);
    const person = t.anonymous();
    person.account.email = email;
    expectStatus(await person.login(NEW_ACCOUNT.password), 200);
    expectStatus(await acceptAs(person, outcomes.startsWith("204") ? second : first), 204);
    expect((await person.get("/api/auth/organizations")).body).toHaveLength(2);
  }
});

test("an account can accept invitations of two organizations concurrently", async () => {
  const [left, right] = [await createOrganization(t), await createOrganization(t)];
  const person = await t.person();
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const first = (await invited(t, left.admin, { email: person.email })).token;
    const second = (await invited(t, right.admin, { email: person.email })).token;
    const outcomes = await sendAtOnce(
      urls,
      round,
      (url) => acceptAs(person.at(url), first),
      (url) => acceptAs(person.at(url), second),
    );
    expect(outcomes).toBe("204, 204");
    await endRound(t, left, right);
    for (const { admin } of [left, right])
      expectStatus(await admin.delete(`/api/members/${idOf(person)}`), 204);
  }
});

testInvariants(t);
