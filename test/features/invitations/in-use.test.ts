import { expect, test } from "bun:test";
import {
  acceptNew,
  expire,
  type Invited,
  invite,
  invited,
  previewInvitation,
  resend,
  revoke,
} from "../../support/invitations.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

/* Units and roles of a valid invitation cannot be deleted. */
const t = await sharedService();

const removeUnit = async (org: Organization, id: string) =>
  outcome(await org.admin.delete(`/api/units/${id}`));
const removeRole = async (org: Organization, id: string) =>
  outcome(await org.admin.delete(`/api/roles/${id}`));

/** Creates an invitation that is the only use of a unit and a role. */
async function naming(sender?: "another inviter") {
  const org = await createOrganization(t);
  const [unit, role] = [await org.unit("Named"), await org.role("Named", "Units.Read")];
  const inviter = sender === undefined ? org.admin : await org.member({ role: "ORG_ADMIN" });
  const roles = [{ role: "MEMBER" }, { role: "MEMBER", unit }, { role }];
  const invitation = await invited(t, inviter, { roles });
  return { org, unit, role, inviter, invitation };
}

test("the unit and the role of a valid invitation cannot be deleted", async () => {
  const { org, unit, role, invitation } = await naming();
  expect(await removeUnit(org, unit)).toBe("409 UNIT_NOT_EMPTY");
  expect(await removeRole(org, role)).toBe("409 ROLE_IN_USE");
  expectStatus(await previewInvitation(t, invitation.token), 200);
  expect(await removeUnit(org, await org.unit("Empty"))).toBe("204");
  expect(await removeRole(org, await org.role("Empty"))).toBe("204");
});

test("an organization-wide invitation and one of another organization do not block the deletion of units and roles", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const [unit, role] = [await org.unit("Unit"), await org.role("Role")];
  expectStatus(await invite(org.admin), 201);
  expectStatus(
    await invite(other.admin, { roles: [{ role: "MEMBER", unit: await other.unit("Unit") }] }),
    201,
  );
  expect(await removeUnit(org, unit)).toBe("204");
  expect(await removeRole(org, role)).toBe("204");
});

type Naming = Awaited<ReturnType<typeof naming>>;
const ends: Record<string, (named: Naming) => Promise<unknown>> = {
  "has expired": ({ invitation }) => expire(t, invitation),
  "is revoked": async ({ org, invitation }) => expectStatus(await revoke(org.admin, invitation.id), 204),
  "is superseded": async ({ org, invitation: { email } }) =>
    expectStatus(await invite(org.admin, { email }), 201),
  "has lost its inviter": async ({ inviter }) =>
    expectStatus(await inviter.post("/api/organization/leave"), 204),
};
for (const [ending, end] of Object.entries(ends)) {
  test(`the unit and the role of an invitation can be deleted once it ${ending}`, async () => {
    const named = await naming("another inviter");
    await end(named);
    expect(await removeUnit(named.org, named.unit)).toBe("204");
    expect(await removeRole(named.org, named.role)).toBe("204");
  });
}

test("after the acceptance of an invitation, its unit and role cannot be deleted while the member has them", async () => {
  const { org, unit, role, invitation } = await naming();
  expectStatus(await acceptNew(t, invitation.token), 204);
  expect(await removeUnit(org, unit)).toBe("409 UNIT_NOT_EMPTY");
  expect(await removeRole(org, role)).toBe("409 ROLE_IN_USE");
  const [member] = (await org.admin.get(`/api/members?search=${invitation.email}`)).body.data;
  expectStatus(await org.admin.delete(`/api/members/${member.userId}`), 204);
  expect(await removeUnit(org, unit)).toBe("204");
  expect(await removeRole(org, role)).toBe("204");
});

test("after an expired invitation is resent, its remaining units and roles cannot be deleted", async () => {
  const { org, unit, role, invitation } = await naming();
  await expire(t, invitation);
  expect(await removeUnit(org, unit)).toBe("204");
  expectStatus(await resend(org.admin, invitation.id), 204);
  expect(await removeRole(org, role)).toBe("409 ROLE_IN_USE");
});

test("the invitation links of a deleted organization are invalid", async () => {
  const { org, invitation }: { org: Organization; invitation: Invited } = await naming();
  expectStatus(await (await t.platformAdmin()).delete(`/api/organizations/${org.id}`), 204);
  expect(outcome(await previewInvitation(t, invitation.token))).toBe("400 INVALID_OR_EXPIRED_TOKEN");
  expect(outcome(await acceptNew(t, invitation.token))).toBe("400 INVALID_OR_EXPIRED_TOKEN");
});
