import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import {
  accept,
  acceptAs,
  acceptNew,
  expire,
  type Invited,
  invite,
  invited,
  NEW_ACCOUNT,
  previewInvitation,
  resend,
  revoke,
  settle,
  tokenFor,
} from "../../support/invitations.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { actingIn, eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService, uniqueEmail } from "../../support/service.ts";

const t = await sharedService();

type Scene = { org: Organization; inviter: Caller; invitation: Invited; platform: Caller };

/** All events that invalidate an invitation link. */
const deaths: Record<string, (scene: Scene) => Promise<unknown>> = {
  "it was never issued": async ({ invitation }) => {
    invitation.token = "A".repeat(43);
  },
  "it is not whole": async ({ invitation }) => {
    invitation.token = invitation.token.slice(1);
  },
  "it was used": async ({ invitation }) => {
    // The account's address is changed afterwards, so that the invited address has no account again.
    expectStatus(await acceptNew(t, invitation.token), 204);
    await t.sql("UPDATE users SET email = 'former-' || email WHERE email = $1", [invitation.email]);
  },
  "it has expired": ({ invitation }) => expire(t, invitation),
  "its seven days are just over": ({ invitation }) =>
    t.age("user_invitations", { id: invitation.id }, { days: 7 }),
  "it was revoked": async ({ org, invitation }) => expectStatus(await revoke(org.admin, invitation.id), 204),
  "it was superseded": async ({ org, invitation }) =>
    expectStatus(await invite(org.admin, { email: invitation.email }), 201),
  "it was sent again": async ({ org, invitation }) => {
    await settle(t, invitation);
    expectStatus(await resend(org.admin, invitation.id), 204);
  },
  "its inviter has left": async ({ inviter }) =>
    expectStatus(await inviter.post("/api/organization/leave"), 204),
  "its inviter was removed": async ({ org, inviter }) =>
    expectStatus(await org.admin.delete(`/api/members/${idOf(inviter)}`), 204),
  "its inviter was removed and has returned": async ({ org, inviter }) => {
    expectStatus(await org.admin.delete(`/api/members/${idOf(inviter)}`), 204);
    await org.add(inviter, { role: "ORG_ADMIN" });
  },
  "its inviter has left and returned": async ({ org, inviter }) => {
    expectStatus(await inviter.post("/api/organization/leave"), 204);
    await org.add(inviter, { role: "ORG_ADMIN" });
  },
  "its inviter's account is deleted": async ({ platform, inviter }) =>
    expectStatus(await platform.delete(`/api/users/${idOf(inviter)}`), 204),
  "its organization is deleted": async ({ platform, org }) =>
    expectStatus(await platform.delete(`/api/organizations/${org.id}`), 204),
};

/** Uses a link in all ways: preview it, accept with a new account, accept with an existing one, accept signed out. */
async function tries({ invitation: { token } }: Pick<Scene, "invitation">, session: Caller) {
  return [
    await previewInvitation(t, token),
    await acceptNew(t, token),
    await acceptAs(session, token),
    await acceptAs(t.anonymous(), token),
  ];
}

for (const [death, kill] of Object.entries(deaths)) {
  test(`an invitation link is invalid once ${death}, with the same response on all routes`, async () => {
    const org = await createOrganization(t);
    const inviter = await org.member({ role: "ORG_ADMIN" });
    const invitation = await invited(t, inviter);
    await kill({ org, inviter, invitation, platform: await t.platformAdmin() });
    const before = await eventsIn(t, org, "");
    for (const { status, body } of await tries({ invitation }, org.admin)) {
      expect(status).toBe(400);
      expect(body).toEqual({
        statusCode: 400,
        code: "INVALID_OR_EXPIRED_TOKEN",
        message: "The link is invalid or has expired",
        requestId: expect.any(String),
      });
    }
    expect(await eventsIn(t, org, "")).toEqual(before);
    expect(await t.sql("SELECT FROM users WHERE email = $1", [invitation.email])).toEqual([]);
  });
}

test("an invitation whose inviter was removed and has returned is listed as expired, and is valid again after a resend", async () => {
  const org = await createOrganization(t);
  const inviter = await org.member({ role: "ORG_ADMIN" });
  const invitation = await invited(t, inviter);
  await settle(t, invitation);
  expectStatus(await org.admin.delete(`/api/members/${idOf(inviter)}`), 204);
  await org.add(inviter, { role: "ORG_ADMIN" });
  const [listed] = expectStatus(await org.admin.get("/api/members/invitations"), 200).body.data;
  expect([listed.id, listed.expired]).toEqual([invitation.id, true]);
  expectStatus(await resend(org.admin, invitation.id), 204);
  expectStatus(await acceptNew(t, await tokenFor(t, invitation.email)), 204);
});

test("an invitation by a platform administrator is invalid once they are demoted, unless they are a member", async () => {
  const [org, admin] = [await createOrganization(t), await t.platformAdmin()];
  const invitation = await invited(t, admin, actingIn(org));
  expectStatus(await previewInvitation(t, invitation.token), 200);
  await t.sql("UPDATE users SET is_platform_admin = false WHERE id = $1", [idOf(admin)]);
  for (const response of await tries({ invitation }, admin))
    expect(outcome(response)).toBe("400 INVALID_OR_EXPIRED_TOKEN");
  await org.add(admin, { role: "MEMBER" });
  expectStatus(await acceptNew(t, invitation.token), 204);
});

test("an invitation is invalid if its inviter is only a member of another organization", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const inviter = await org.member({ role: "ORG_ADMIN" });
  await other.add(inviter, { role: "ORG_ADMIN" });
  const invitation = await invited(t, inviter);
  expectStatus(await org.admin.delete(`/api/members/${idOf(inviter)}`), 204);
  expect(outcome(await previewInvitation(t, invitation.token))).toBe("400 INVALID_OR_EXPIRED_TOKEN");
});

test("an invitation cannot be opened with its id or with the digest of its token", async () => {
  const org = await createOrganization(t);
  const { id, email } = await invited(t, org.admin);
  const [row] = await t.sql<{ token_hash: string }>("SELECT token_hash FROM user_invitations WHERE id = $1", [
    id,
  ]);
  for (const token of [id, email, row?.token_hash ?? "", "%", "x".repeat(512)])
    expect(outcome(await previewInvitation(t, token))).toBe("400 INVALID_OR_EXPIRED_TOKEN");
  expect(outcome(await previewInvitation(t, "x".repeat(513)))).toBe("400 VALIDATION_FAILED");
});

test("accepting an invalid invitation link computes no password hash", async () => {
  const org = await createOrganization(t);
  const used = await invited(t, org.admin);
  expectStatus(await acceptNew(t, used.token), 204);
  const dead = async (token: string) =>
    expectStatus(await accept(t.anonymous(), { token, ...NEW_ACCOUNT }), 400);
  const { password } = NEW_ACCOUNT;
  const ways = [
    () => dead("never issued"),
    () => dead(used.token),
    async () =>
      expectStatus(await t.anonymous().post("/api/auth/login", { email: uniqueEmail(), password }), 401),
  ];
  const times: number[][] = ways.map(() => []);
  // The requests are interleaved, so that other load on the machine affects all of them equally.
  for (let sample = -5; sample < 24; sample += 1) {
    for (const [index, way] of ways.entries()) {
      const started = performance.now();
      await way();
      if (sample >= 0) times[index]?.push(performance.now() - started);
    }
  }
  const medians = times.map((taken) => taken.toSorted((one, other) => one - other)[taken.length >> 1] ?? 0);
  const [unknown = 1, spent = 1, hashing = 0] = medians;
  expect(unknown / hashing).toBeLessThan(0.5);
  expect(spent / hashing).toBeLessThan(0.5);
});
