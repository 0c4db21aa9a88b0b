import { expect, test } from "bun:test";
import {
  acceptAs,
  acceptNew,
  expire,
  invite,
  invited,
  listed,
  previewInvitation,
  resend,
  revoke,
  settle,
} from "../../support/invitations.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { actingIn, eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { planFiles, setPlanOverride } from "../../support/plans.ts";
import { expectStatus, startService } from "../../support/service.ts";

const planFile = planFiles();
const t = await startService({
  BILLING_PLANS_FILE: planFile({
    plans: [
      { key: "open", limits: {}, features: [], paid: false },
      { key: "three", limits: { members: 3 }, features: [], paid: false },
      { key: "one", limits: { members: 1 }, features: [], paid: false },
    ],
    defaultPlan: "open",
    trial: null,
  }),
});

const full = "403 PLAN_LIMIT_REACHED";
const tooMany = "429 TOO_MANY_REQUESTS";
const asks = async (org: Organization, details = {}) => outcome(await invite(org.admin, details));

/** Inserts records of invitation mails that an organization sent `minutes` minutes ago. */
const sent = (org: Organization, count: number, minutes: number) =>
  t.sql(
    `INSERT INTO user_invitation_sends (organization_id, sent_at)
     SELECT $1, now() - make_interval(mins => $3) FROM generate_series(1, $2::int)`,
    [org.id, count, minutes],
  );

test("an organization can mail at most 200 invitations an hour, including resends", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  await sent(org, 198, 50);
  const invitation = await invited(t, org.admin);
  await settle(t, invitation);
  expectStatus(await resend(org.admin, invitation.id), 204);

  const refused = await invite(org.admin);
  expect(outcome(refused)).toBe(tooMany);
  expect(Number(refused.headers.get("retry-after"))).toBeWithin(500, 601);
  await settle(t, invitation);
  expect(outcome(await resend(org.admin, invitation.id))).toBe(tooMany);
  expect(await t.mailTo(invitation.email)).toHaveLength(2);
  expect(await eventsIn(t, org, "USER_INVIT")).toHaveLength(2);
  expect(await asks(other)).toBe("201");

  expectStatus(await revoke(org.admin, invitation.id), 204);
  await t.age("user_invitation_sends", { organization_id: org.id }, { minutes: 11 });
  expect(await asks(org)).toBe("201");
});

test("invitation mails older than an hour and refused invitations do not count against the hourly limit", async () => {
  const org = await createOrganization(t);
  await sent(org, 300, 61);
  await sent(org, 199, 1);
  for (const refused of [{ roles: [] }, { email: org.admin.email }, { email: "nobody" }])
    expect(["400 VALIDATION_FAILED", "409 ALREADY_MEMBER"]).toContain(await asks(org, refused));
  expect(await asks(org)).toBe("201");
  expect(await asks(org)).toBe(tooMany);
});

test("platform administrators have no limit of invitation mails, but theirs count for the organization's members", async () => {
  const [org, admin] = [await createOrganization(t), await t.platformAdmin()];
  await sent(org, 199, 1);
  const invitation = await invited(t, admin, actingIn(org));
  expect(await asks(org)).toBe(tooMany);
  expectStatus(await invite(admin, actingIn(org)), 201);
  await settle(t, invitation);
  expectStatus(await resend(admin, invitation.id, actingIn(org)), 204);
});

test("the limit of invitation mails is checked after authorization and before membership", async () => {
  const org = await createOrganization(t);
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit: await org.unit("Unit") });
  await sent(org, 200, 1);
  expect(outcome(await invite(unitAdmin))).toBe("403 UNIT_FORBIDDEN");
  expect(await asks(org, { email: org.admin.email })).toBe(tooMany);
});

/** Creates an organization whose plan has three seats; its founder uses one. */
async function ofThree() {
  const [org, admin] = [await createOrganization(t), await t.platformAdmin()];
  await setPlanOverride(admin, org, "three");
  return { org, admin };
}

test("a valid invitation uses a seat until it is revoked or expires; after the acceptance the member uses it", async () => {
  const { org } = await ofThree();
  const [one, two] = [await invited(t, org.admin), await invited(t, org.admin)];
  const refused = await invite(org.admin);
  expect(outcome(refused)).toBe(full);
  expect(refused.body.details).toEqual({ limit: "members", max: 3, used: 3 });
  expect((await listed(org.admin)).total).toBe(2);

  expectStatus(await revoke(org.admin, one.id), 204);
  const three = await invited(t, org.admin);
  expect(await asks(org)).toBe(full);
  await expire(t, two);
  const four = await invited(t, org.admin);
  expect(await asks(org)).toBe(full);
  for (const { token } of [three, four]) expectStatus(await acceptNew(t, token), 204);
  expect(await asks(org)).toBe(full);
});

test("removing an inviter frees their seat and those of their invitations", async () => {
  const { org } = await ofThree();
  const inviter = await org.member({ role: "ORG_ADMIN" });
  expectStatus(await invite(inviter), 201);
  expect(await asks(org)).toBe(full);
  expectStatus(await inviter.post("/api/organization/leave"), 204);
  expect([await asks(org), await asks(org), await asks(org)]).toEqual(["201", "201", full]);
});

test("inviting an address again uses no second seat", async () => {
  const { org } = await ofThree();
  const [one, two] = [await invited(t, org.admin), await invited(t, org.admin)];
  expect(await asks(org, { email: one.email })).toBe("201");
  expect(await asks(org)).toBe(full);
  await expire(t, two);
  expect(await asks(org)).toBe("201");
  // The expired invitation uses no seat, so inviting again is refused; the refusal does not change it.
  expect(await asks(org, { email: two.email })).toBe(full);
  expect((await listed(org.admin, `search=${two.email}`)).data.map(({ id }) => id)).toEqual([two.id]);
});

test("resending an expired invitation needs a free seat, resending a valid one does not", async () => {
  const { org, admin } = await ofThree();
  const [one, two] = [await invited(t, org.admin), await invited(t, org.admin)];
  await expire(t, one);
  const three = await invited(t, org.admin);
  for (const invitation of [two, three]) await settle(t, invitation);
  expectStatus(await resend(org.admin, two.id), 204);
  const refused = await resend(org.admin, one.id);
  expect(refused.body.details).toEqual({ limit: "members", max: 3, used: 3 });
  expect(await t.mailTo(one.email)).toHaveLength(1);

  await setPlanOverride(admin, org, "one");
  expectStatus(await resend(org.admin, three.id), 204);
  await setPlanOverride(admin, org, "three");
  expectStatus(await revoke(org.admin, three.id), 204);
  expectStatus(await resend(org.admin, one.id), 204);
  expect(await asks(org)).toBe(full);
});

test("accepting an invitation needs no free seat, even after a change to a smaller plan", async () => {
  const { org, admin } = await ofThree();
  const person = await t.person();
  const [one, two] = [await invited(t, org.admin, { email: person.email }), await invited(t, org.admin)];
  await setPlanOverride(admin, org, "one");
  expectStatus(await previewInvitation(t, two.token), 200);
  expectStatus(await acceptAs(person, one.token), 204);
  expectStatus(await acceptNew(t, two.token), 204);
  const refused = await invite(org.admin);
  expect(refused.body.details).toEqual({ limit: "members", max: 1, used: 3 });
});

test("platform administrators can invite and resend beyond the plan's seats, and their invitations use seats", async () => {
  const { org, admin } = await ofThree();
  const [one, named] = [await invited(t, org.admin), actingIn(org)];
  await expire(t, one);
  expect([await asks(org), await asks(org), await asks(org)]).toEqual(["201", "201", full]);
  expectStatus(await resend(admin, one.id, named), 204);
  expectStatus(await invite(admin, named), 201);
  expect((await invite(org.admin)).body.details.used).toBe(5);
});

test("an invitation of a member is ALREADY_MEMBER even if the plan has no free seat", async () => {
  const { org } = await ofThree();
  await org.member();
  const last = await org.member();
  expect(await asks(org, { email: last.email })).toBe("409 ALREADY_MEMBER");
  expect(await asks(org)).toBe(full);
  expectStatus(await org.admin.delete(`/api/members/${idOf(last)}`), 204);
  expect(await asks(org, { email: last.email })).toBe("201");
});
