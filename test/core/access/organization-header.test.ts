import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { eventsOf } from "../../support/events.ts";
import { createOrganization, userIdOf } from "../../support/organizations.ts";
import { definitions } from "../../support/routes.ts";
import { expectStatus, sharedService, uniqueEmail } from "../../support/service.ts";

const t = await sharedService();

const ID = "0f9c1d5e-1111-4222-8333-444455556666";
const all = definitions
  .filter(({ access }) => access !== "public" && access !== "setup-link")
  .map((definition) => ({
    operationId: definition.operationId,
    access: definition.access,
    method: definition.method.toUpperCase(),
    path: definition.path.replaceAll(/\{\w+\}/g, ID),
    body: definition.request?.body === undefined ? undefined : { wrong: 1 },
    refusesPlatformAdmins: definition.refusesPlatformAdmins !== undefined,
  }));
/** The routes that work on one organization, except checkout and portal, which refuse the header in their own way. */
const ofOrganization = all.filter(
  ({ path }) =>
    /^\/api\/(organization|members|units|roles)(\/|$)/.test(path) && !/(checkout|portal)$/.test(path),
);
const naming = (...ids: string[]) => ({ "x-organization-id": ids.join(", ") });
const ids = (count: number) => Array.from({ length: count }, () => crypto.randomUUID());

/** Sends an invalid body to each route; returns the distinct outcomes as `status code`. */
async function responsesOf(routes: typeof all, caller: Caller, headers: Record<string, string> = {}) {
  const responses = new Set<string>();
  for (const { method, path, body } of routes) {
    const { status, body: response } = await caller.send(method, path, body, { headers });
    responses.add(`${status} ${response.code}`);
  }
  return [...responses];
}

test("these tests cover every route that acts on one organization", () => {
  const names = ofOrganization.map(({ operationId }) => operationId);
  expect(names).toContainValues([
    "getOrganization",
    "leaveOrganization",
    "listMembers",
    "listUnits",
    "listRoles",
  ]);
});

test("a platform administrator must send exactly one organization id, which is checked before validation", async () => {
  const admin = await t.platformAdmin();
  const [one, other] = [await createOrganization(t), await createOrganization(t)];
  for (const headers of [
    {},
    { "x-organization-id": "" },
    { "x-organization-id": "  " },
    naming(one.id, other.id),
    naming(...ids(50)),
  ])
    expect(await responsesOf(ofOrganization, admin, headers)).toEqual(["400 ORGANIZATION_REQUIRED"]);
});

test("a deleted or unknown organization in X-Organization-Id is 404 before validation", async () => {
  const admin = await t.platformAdmin();
  const { id } = await createOrganization(t);
  expectStatus(await admin.delete(`/api/organizations/${id}`), 204);
  for (const headers of [naming(ID), naming(id)])
    expect(await responsesOf(ofOrganization, admin, headers)).toEqual(["404 NOT_FOUND"]);
});

test("any X-Organization-Id from a user who is no platform administrator is 403 on every route that needs a token", async () => {
  const { id, admin: founder } = await createOrganization(t);
  for (const person of [founder, await t.person()])
    for (const value of [id, ID, "x", ids(51).join(), `${id},${ID}`])
      expect(await responsesOf(all, person, { "x-organization-id": value })).toEqual([
        "403 ORGANIZATION_OVERRIDE_FORBIDDEN",
      ]);
  expectStatus(await founder.refresh(), 200);
  expect((await founder.get("/api/organization")).body.id).toBe(id);
});

test("public routes ignore X-Organization-Id; all other routes are 401 without a token", async () => {
  const { admin: founder } = await createOrganization(t);
  const headers = naming("x");
  const { account } = founder;
  expectStatus(await t.anonymous().post("/api/auth/login", account, { headers }), 200);
  expectStatus(await founder.refresh({ headers }), 200);
  expectStatus(
    await t.anonymous().post("/api/auth/forgot-password", { email: uniqueEmail() }, { headers }),
    202,
  );
  expect(await responsesOf(all, t.anonymous(), headers)).toEqual(["401 UNAUTHENTICATED"]);
});

test("routes that do not act on an organization ignore X-Organization-Id", async () => {
  const admin = await t.platformAdmin();
  const headers = naming(ID, crypto.randomUUID());
  for (const path of [
    "/api/profile",
    "/api/permissions",
    "/api/notifications",
    "/api/auth/organizations",
    `/api/users/${await userIdOf(t, admin)}`,
  ])
    expectStatus(await admin.get(path, { headers }), 200);
});

test("a platform administrator acts in the organization of X-Organization-Id, even a suspended one", async () => {
  const admin = await t.platformAdmin();
  const { id, admin: founder } = await createOrganization(t, "Acme");
  expectStatus(await admin.patch(`/api/organizations/${id}/status`, { status: "SUSPENDED" }), 200);
  const headers = naming(id.toUpperCase());
  expect((await admin.get("/api/organization", { headers })).body).toMatchObject({ id, status: "SUSPENDED" });
  expectStatus(await admin.patch("/api/organization", { name: "Changed" }, { headers }), 200);
  const unit = expectStatus(
    await admin.post("/api/units", { name: "East", parentId: null }, { headers }),
    201,
  );
  expect((await admin.get("/api/units", { headers })).body.data).toMatchObject([{ id: unit.body.id }]);
  expect((await admin.get("/api/members", { headers })).body.data).toMatchObject([{ email: founder.email }]);
  expectStatus(
    await admin.post("/api/roles", { name: "All", permissions: ["Billing.Update"] }, { headers }),
    201,
  );
  for (const [action, target] of [
    ["ORGANIZATION_UPDATED", id],
    ["UNIT_CREATED", unit.body.id],
  ])
    expect(await eventsOf(t, action ?? "", target)).toMatchObject([
      { actor_id: await userIdOf(t, admin), organization_id: id },
    ]);
});

test("a platform administrator cannot leave any organization", async () => {
  const { id, admin: founder } = await createOrganization(t);
  await t.sql("UPDATE users SET is_platform_admin = true WHERE email = $1", [founder.email]);
  await founder.refresh();
  const response = await founder.post("/api/organization/leave", undefined, { headers: naming(id) });
  expect(response.body).toMatchObject({ statusCode: 403, code: "FORBIDDEN" });
  expect((await founder.get("/api/auth/organizations")).body).toHaveLength(1);
});

test("without an active organization, routes that act on one are 403 before validation", async () => {
  expect(await responsesOf(ofOrganization, await t.person())).toEqual(["403 ORGANIZATION_REQUIRED"]);
});

test("routes of platform administrators are 403 for everybody else before validation", async () => {
  const ofPlatform = all.filter(({ access }) => access === "platform-admin");
  expect(ofPlatform.length).toBeGreaterThan(10);
  for (const person of [(await createOrganization(t)).admin, await t.person()])
    expect(await responsesOf(ofPlatform, person)).toEqual(["403 PLATFORM_ADMIN_REQUIRED"]);
});

test("a member without permissions is 403 before validation, but can leave the organization", async () => {
  const organization = await createOrganization(t);
  const nothing = await organization.role("Nothing");
  const member = await organization.member({ role: nothing });
  const guarded = ofOrganization.filter(({ operationId }) => operationId !== "leaveOrganization");
  expect(await responsesOf(guarded, member)).toEqual(["403 FORBIDDEN"]);
  expectStatus(await member.post("/api/organization/leave"), 204);
});

test("an invalid request is 400 even if its record does not exist, for members and platform administrators", async () => {
  const { id, admin: founder } = await createOrganization(t);
  const admin = await t.platformAdmin();
  const own = ofOrganization.filter(({ body, path }) => body !== undefined && path.includes(ID));
  expect(own.length).toBeGreaterThan(3);
  expect(await responsesOf(own, founder)).toEqual(["400 VALIDATION_FAILED"]);
  const ofPlatform = own.filter(({ refusesPlatformAdmins }) => !refusesPlatformAdmins);
  expect(await responsesOf(ofPlatform, admin, naming(id))).toEqual(["400 VALIDATION_FAILED"]);
  for (const path of [`/api/units/${ID}`, `/api/roles/${ID}`]) {
    for (const [caller, headers] of [
      [founder, {}],
      [admin, naming(id)],
    ] as const) {
      expectStatus(await caller.patch(path, { name: "Changed" }, { headers }), 404);
      expectStatus(await caller.delete(path, { headers }), 404);
    }
  }
});
