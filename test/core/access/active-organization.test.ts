import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { eventsOf } from "../../support/events.ts";
import { assignments, createOrganization, roleId, userIdOf } from "../../support/organizations.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

const read = (caller: Caller) => caller.get("/api/organization");
const change = (caller: Caller, body: unknown) => caller.patch("/api/organization", body);
const uniqueSlug = () => `s-${crypto.randomUUID()}`;
const changes = (id: string) => eventsOf(t, "ORGANIZATION_UPDATED", id);
const codeOf = async (response: Promise<{ status: number; body: { code: string } }>) => {
  const { status, body } = await response;
  return [status, body.code];
};

test("Organization.Read, for the whole organization or in a unit, allows reading the organization", async () => {
  const organization = await createOrganization(t, "Acme");
  const { id, admin } = organization;
  const unit = await organization.unit("East");
  const reader = await organization.role("Reader", "Organization.Read");
  const other = await organization.role("Other", "Units.Read");
  const { body } = expectStatus(await read(admin), 200);
  const { slug, createdAt } = body;
  const settings = { status: "ACTIVE", defaultRoleId: null, connectedApps: "approved" };
  expect(body).toEqual({ id, name: "Acme", slug, ...settings, createdAt });

  for (const given of [{ role: "MEMBER" }, { role: reader }, { role: reader, unit }])
    expect((await read(await organization.member(given))).body).toEqual(body);
  expect(await codeOf(read(await organization.member({ role: other })))).toEqual([403, "FORBIDDEN"]);
});

test("name, slug and default role of an organization can be changed alone or together, with one audit event per change", async () => {
  const organization = await createOrganization(t, "Acme");
  const { id, admin } = organization;
  const defaultRoleId = await organization.role("Clerk", "Units.Read");
  const slug = uniqueSlug();
  const before = (await read(admin)).body;

  expect((await change(admin, { name: "  Acme & Sons " })).body).toEqual({ ...before, name: "Acme & Sons" });
  const all = { name: "Acme", slug, defaultRoleId };
  expect((await change(admin, all)).body).toEqual({ ...before, ...all });
  expect((await change(admin, { defaultRoleId: null })).body).toEqual({
    ...before,
    ...all,
    defaultRoleId: null,
  });
  expect((await read(admin)).body).toEqual({ ...before, ...all, defaultRoleId: null });

  const event = {
    actor_id: await userIdOf(t, admin),
    target_type: "organization",
    organization_id: id,
  };
  expect(await changes(id)).toMatchObject([
    { ...event, metadata: { from: { name: "Acme" }, to: { name: "Acme & Sons" } } },
    { ...event, metadata: { from: { slug: before.slug }, to: all } },
    { ...event, metadata: { from: { defaultRoleId }, to: { defaultRoleId: null } } },
  ]);
});

test("an empty or identical PATCH of the organization is 200 and writes nothing", async () => {
  const { id, admin } = await createOrganization(t);
  const before = (await read(admin)).body;
  const { name, slug, defaultRoleId } = before;
  for (const body of [{}, { name }, { slug }, { name, slug, defaultRoleId }])
    expect(expectStatus(await change(admin, body), 200).body).toEqual(before);
  expect(await changes(id)).toEqual([]);
});

test("a PATCH of the organization reports all violations at once and writes nothing", async () => {
  const { id, admin } = await createOrganization(t);
  const response = await change(admin, { name: "", slug: "A", defaultRoleId: "x", status: "SUSPENDED" });
  expect(
    expectStatus(response, 400)
      .body.errors.map(({ path }: { path: string }) => path)
      .sort(),
  ).toEqual(["defaultRoleId", "name", "slug", "slug", "status"]);
  expect(response.body.message).toContain("property status should not exist");
  expect(await changes(id)).toEqual([]);
});

test("the default role may be built-in or custom; a deleted or unknown role, or one of another organization, is 400", async () => {
  const organization = await createOrganization(t);
  const { admin } = organization;
  const other = await createOrganization(t, "Other");
  const deleted = await organization.role("Deleted");
  expectStatus(await admin.delete(`/api/roles/${deleted}`), 204);
  for (const defaultRoleId of [await other.role("Theirs"), crypto.randomUUID(), deleted]) {
    const { body } = expectStatus(await change(admin, { name: "Changed", defaultRoleId }), 400);
    expect(body.errors).toEqual([
      { path: "defaultRoleId", message: "defaultRoleId must be an existing role" },
    ]);
  }
  expect((await read(admin)).body.name).toBe("Acme");
  for (const defaultRoleId of [roleId("UNIT_ADMIN"), await organization.role("Empty")])
    expect((await change(admin, { defaultRoleId })).body.defaultRoleId).toBe(defaultRoleId);
});

test("a caller can make a role the default only if they hold its permissions organization-wide; the current default may be sent again", async () => {
  const organization = await createOrganization(t);
  const unit = await organization.unit("East");
  const editor = await organization.role("Editor", "Organization.Update", "Units.Read");
  const seller = await organization.role("Seller", "Units.Create");
  const person = await organization.member({ role: editor }, { role: seller, unit });

  expect(await codeOf(change(person, { defaultRoleId: seller }))).toEqual([403, "PERMISSION_NOT_HELD"]);
  expect(await codeOf(change(person, { defaultRoleId: roleId("ORG_ADMIN") }))).toEqual([
    403,
    "PERMISSION_NOT_HELD",
  ]);
  expectStatus(await change(person, { defaultRoleId: editor }), 200);
  expectStatus(await change(organization.admin, { defaultRoleId: seller }), 200);
  expectStatus(await change(person, { name: "Changed", defaultRoleId: seller }), 200);
  expectStatus(await change(person, { defaultRoleId: null }), 200);

  const { slug } = (await read((await createOrganization(t)).admin)).body;
  expect(await codeOf(change(person, { slug, defaultRoleId: seller }))).toEqual([403, "PERMISSION_NOT_HELD"]);
});

test("changing the organization needs Organization.Update organization-wide", async () => {
  const organization = await createOrganization(t);
  const unit = await organization.unit("East");
  const editor = await organization.role("Editor", "Organization.Update");
  for (const given of [{ role: "MEMBER" }, { role: "UNIT_ADMIN" }, { role: editor, unit }])
    for (const body of [{ name: "Changed" }, { wrong: 1 }])
      expect(await codeOf(change(await organization.member(given), body))).toEqual([403, "FORBIDDEN"]);
  expectStatus(await change(await organization.member({ role: editor }), { name: "Changed" }), 200);
});

test("an organization is changed only if both the access token and the database grant the permission", async () => {
  const organization = await createOrganization(t);
  const [demoted, promoted, removed] = [
    await organization.member({ role: "ORG_ADMIN" }),
    await organization.member({ role: "MEMBER" }),
    await organization.member({ role: "ORG_ADMIN" }),
  ];
  const setRoles = async (person: Caller, role: string) =>
    expectStatus(
      await organization.admin.patch(
        `/api/members/${await userIdOf(t, person)}/roles`,
        assignments({ role }),
      ),
      200,
    );
  await setRoles(demoted, "MEMBER");
  await setRoles(promoted, "ORG_ADMIN");
  expectStatus(await organization.admin.delete(`/api/members/${await userIdOf(t, removed)}`), 204);

  for (const person of [demoted, promoted, removed]) {
    expectStatus(await read(person), 200);
    expect(await codeOf(change(person, { name: "Changed" }))).toEqual([403, "FORBIDDEN"]);
  }
  expect(await changes(organization.id)).toEqual([]);
  await promoted.refresh();
  expectStatus(await change(promoted, { name: "Changed" }), 200);
});

test("the administrator of a deleted organization cannot change it with an unexpired token", async () => {
  const { id, admin } = await createOrganization(t);
  const platform = await t.platformAdmin();
  expectStatus(await platform.delete(`/api/organizations/${id}`), 204);
  expect((await change(admin, { name: "Changed" })).status).toBeOneOf([403, 404]);
  expect((await read(admin)).status).toBe(404);
  expect(await changes(id)).toEqual([]);
});
