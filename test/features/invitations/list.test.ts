import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import {
  acceptNew,
  expire,
  INVITATIONS,
  invite,
  invited,
  listed,
  resend,
  revoke,
} from "../../support/invitations.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { actingIn, idOf, messages, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService, uniqueEmail } from "../../support/service.ts";

const t = await sharedService();

/** Invites `name@example.com` for each name; the last one is the newest. */
async function invitedAs(org: Organization, ...names: string[]) {
  for (const name of names) {
    expectStatus(await invite(org.admin, { email: `${name}@example.com` }), 201);
    await t.age("user_invitations", { organization_id: org.id }, { minutes: 1 });
  }
}

/** Returns the total, then the names on a page. */
async function namesOf(caller: Caller, query = "", options = {}) {
  const { total, data } = await listed(caller, query, options);
  return [total, ...data.map(({ email }) => email.split("@")[0])];
}

test("invitations are listed newest first, in stable pages", async () => {
  const org = await createOrganization(t);
  await invitedAs(org, "b", "d", "a", "c");
  expect(await namesOf(org.admin)).toEqual([4, "c", "a", "d", "b"]);
  expect(await namesOf(org.admin, "sort=createdAt&order=asc")).toEqual([4, "b", "d", "a", "c"]);
  expect(await namesOf(org.admin, "sort=email&order=asc")).toEqual([4, "a", "b", "c", "d"]);
  expect(await namesOf(org.admin, "sort=email")).toEqual([4, "d", "c", "b", "a"]);
  expect(await namesOf(org.admin, "pageSize=3")).toEqual([4, "c", "a", "d"]);
  expect(await namesOf(org.admin, "pageSize=3&page=2")).toEqual([4, "b"]);
  expect(await namesOf(org.admin, "page=9")).toEqual([4]);
});

test("a resent invitation keeps its position in the list", async () => {
  const org = await createOrganization(t);
  await invitedAs(org, "a", "b");
  const first = (await listed(org.admin)).data.at(-1);
  expectStatus(await resend(org.admin, first?.id ?? ""), 204);
  expect(await namesOf(org.admin)).toEqual([2, "b", "a"]);
});

test("a search of invitations matches the address literally and case-insensitively", async () => {
  const org = await createOrganization(t);
  await invitedAs(org, "ada_love", "adaxlove", "per%cent");
  expect(await namesOf(org.admin, "search=ADA_")).toEqual([1, "ada_love"]);
  expect(await namesOf(org.admin, "search=love%40example")).toEqual([2, "adaxlove", "ada_love"]);
  expect(await namesOf(org.admin, "search=%25")).toEqual([1, "per%cent"]);
  expect(await namesOf(org.admin, "search=MEMBER")).toEqual([0]);
  expect(await namesOf(org.admin, `search=${org.admin.email}`)).toEqual([0]);
  expect(await namesOf(org.admin, "search=example&pageSize=1")).toEqual([3, "per%cent"]);
});

test("all errors of an invalid query of invitations are returned at once", async () => {
  const org = await createOrganization(t);
  const refused = await org.admin.get(
    `${INVITATIONS}?page=0&pageSize=101&sort=expiresAt&order=up&expired=true&search=a&search=b`,
  );
  expectStatus(refused, 400);
  expect(messages(refused)).toContain("sort must be one of the following values: createdAt, email");
  expect(messages(refused)).toContain("property expired should not exist");
  expect(refused.body.errors.map(({ path }: { path: string }) => path).toSorted()).toEqual([
    "expired",
    "order",
    "page",
    "pageSize",
    "search",
    "sort",
  ]);
});

test("accepted, revoked, superseded and other organizations' invitations are not listed; expired ones are", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  await invitedAs(other, "other");
  const accepted = await invited(t, org.admin);
  expectStatus(await acceptNew(t, accepted.token), 204);
  const revoked = await invited(t, org.admin);
  expectStatus(await revoke(org.admin, revoked.id), 204);
  const superseded = await invited(t, org.admin);
  const pending = await invited(t, org.admin, { email: superseded.email });
  const expired = await invited(t, org.admin);
  await expire(t, expired);
  expect((await listed(org.admin, "order=asc")).data.map(({ id, expired }) => [id, expired])).toEqual([
    [expired.id, true],
    [pending.id, false],
  ]);
  expect((await listed(await t.platformAdmin(), "", actingIn(other))).total).toBe(1);
});

test("an invitation is listed as expired as soon as its seven days are over", async () => {
  const org = await createOrganization(t);
  const { id } = await invited(t, org.admin);
  const isExpired = async () => (await listed(org.admin)).data[0]?.expired;
  await t.age("user_invitations", { id }, { days: 7, minutes: -1 });
  expect(await isExpired()).toBe(false);
  await t.age("user_invitations", { id }, { minutes: 1 });
  expect(await isExpired()).toBe(true);
});

test("an invitation is listed as expired once its inviter no longer acts for the organization; `invitedBy` still names the inviter", async () => {
  const org = await createOrganization(t);
  const platform = await t.platformAdmin();
  const [left, removed, deleted, demoted] = [
    await org.member({ role: "ORG_ADMIN" }),
    await org.member({ role: "ORG_ADMIN" }),
    await org.member({ role: "ORG_ADMIN" }),
    await t.platformAdmin(),
  ];
  const ids = new Map<Caller, string>();
  for (const inviter of [left, removed, deleted, org.admin])
    ids.set(inviter, expectStatus(await invite(inviter), 201).body.id);
  for (const inviter of [demoted, platform])
    ids.set(inviter, expectStatus(await invite(inviter, actingIn(org)), 201).body.id);

  expectStatus(await left.post("/api/organization/leave"), 204);
  expectStatus(await org.admin.delete(`/api/members/${idOf(removed)}`), 204);
  expectStatus(await platform.delete(`/api/users/${idOf(deleted)}`), 204);
  expectStatus(await platform.patch(`/api/users/${idOf(demoted)}`, { isPlatformAdmin: false }), 200);

  const { data } = await listed(org.admin);
  const seen = (inviter: Caller) => {
    const row = data.find(({ id }) => id === ids.get(inviter));
    return [row?.expired, row?.invitedBy?.email ?? null];
  };
  expect(seen(left)).toEqual([true, left.email]);
  expect(seen(removed)).toEqual([true, removed.email]);
  expect(seen(deleted)).toEqual([true, null]);
  expect(seen(demoted)).toEqual([true, demoted.email]);
  expect(seen(org.admin)).toEqual([false, org.admin.email]);
  expect(seen(platform)).toEqual([false, platform.email]);
});

test("an invitation stays valid if its inviter loses the permission but stays a member", async () => {
  const org = await createOrganization(t);
  const inviter = await org.member({ role: "ORG_ADMIN" });
  const { token } = await invited(t, inviter, { roles: [{ role: "ORG_ADMIN" }] });
  const path = `/api/members/${idOf(inviter)}/roles`;
  const { body } = await org.admin.get("/api/roles");
  const roleId = body.data.find(({ name }: { name: string }) => name === "MEMBER").id;
  expectStatus(await org.admin.patch(path, { assignments: [{ roleId }] }), 200);
  expect((await listed(org.admin)).data[0]?.expired).toBe(false);
  expectStatus(await acceptNew(t, token), 204);
});

test("an invitation shows only the roles that it can still grant", async () => {
  const org = await createOrganization(t);
  const [kept, gone] = [await org.unit("Kept"), await org.unit("Gone")];
  const [role, lost] = [await org.role("Role"), await org.role("Lost")];
  const roles = [{ role, unit: kept }, { role, unit: gone }, { role: lost }];
  const invitation = await invited(t, org.admin, { email: uniqueEmail(), roles });
  await expire(t, invitation);
  expectStatus(await org.admin.delete(`/api/units/${gone}`), 204);
  expectStatus(await org.admin.delete(`/api/roles/${lost}`), 204);
  const shown = [{ role: { id: role, name: "Role" }, unit: { id: kept, name: "Kept" }, source: "manual" }];
  expect((await listed(org.admin)).data[0]?.assignments).toEqual(shown);
});

test("an expired invitation whose unit is deleted stays visible to administrators of the parent unit", async () => {
  const org = await createOrganization(t);
  const [top, side] = [await org.unit("Top"), await org.unit("Side")];
  const kept = await org.unit("Kept", top);
  const gone = await org.unit("Gone", top);
  const deeper = await org.unit("Deeper", gone);
  const elsewhere = await org.unit("Elsewhere", side);
  const here = await org.member({ role: "UNIT_ADMIN", unit: top });
  const there = await org.member({ role: "UNIT_ADMIN", unit: side });
  const role = "MEMBER";
  // The names contain letters that the hexadecimal domains do not, so a search for them matches only names.
  const made: Record<string, string[]> = {
    lost: [gone],
    lower: [deeper],
    half: [kept, gone],
    across: [gone, elsewhere],
  };
  const ids: Record<string, string> = {};
  for (const [name, units] of Object.entries(made)) {
    const email = `${name}@${crypto.randomUUID()}.example.com`;
    const roles = units.map((unit) => ({ role, unit }));
    const invitation = await invited(t, org.admin, { email, roles });
    await expire(t, invitation);
    ids[name] = invitation.id;
  }
  for (const unit of [deeper, gone, elsewhere])
    expectStatus(await org.admin.delete(`/api/units/${unit}`), 204);
  // An access token from before the deletion still contains the units.
  for (const caller of [here, there]) await caller.refresh();

  const sorted = "sort=email&order=asc";
  expect(await namesOf(org.admin, sorted)).toEqual([4, "across", "half", "lost", "lower"]);
  expect(await namesOf(there)).toEqual([0]);
  expect(await namesOf(here, sorted)).toEqual([3, "half", "lost", "lower"]);
  expect(await namesOf(here, `${sorted}&search=lo`)).toEqual([2, "lost", "lower"]);
  // The unit administrator can revoke it, and can resend it if some of its assignments still exist.
  expect(outcome(await resend(here, ids.lost ?? ""))).toBe("404 NOT_FOUND");
  expectStatus(await resend(here, ids.half ?? ""), 204);
  expectStatus(await revoke(here, ids.lower ?? ""), 204);
  for (const one of [ids.across, ids.lost])
    for (const act of [resend, revoke]) expect(outcome(await act(there, one ?? ""))).toBe("404 NOT_FOUND");
  expect(outcome(await revoke(here, ids.across ?? ""))).toBe("404 NOT_FOUND");
});
