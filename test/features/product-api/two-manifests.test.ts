import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../../examples/inspections/product.json";
import { Caller } from "../../support/caller.ts";
import { assignments, createOrganization, userIdOf } from "../../support/organizations.ts";
import { relay } from "../../support/outgoing-events.ts";
import { PRODUCT_KEY, ProductCaller, startProduct } from "../../support/product.ts";
import { expectStatus } from "../../support/service.ts";

/* During a rolling change of the manifest each instance knows its own one (rules 36.3). */

const { t, product } = await startProduct();
const folder = mkdtempSync(join(tmpdir(), "manifests-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts an instance beside the service whose manifest has one permission and nothing else. */
async function startOther(): Promise<string> {
  const { name, url, permissions } = manifest;
  const other = { name, url, permissions: { "Inspections.Read": permissions["Inspections.Read"] } };
  const path = join(folder, "product.json");
  writeFileSync(path, JSON.stringify(other));
  const [instance] = await t.cluster(1, { PRODUCT_FILE: path, PRODUCT_KEY, INSTANCE_ROLE: "api" });
  return instance?.url ?? "";
}

test("an instance with another manifest reads everything, writes only names that it knows, and takes none away", async () => {
  const url = await startOther();
  const org = await createOrganization(t);
  const role = await org.role("Inspector", "Inspections.Read", "Inspections.Delete", "Todos.Read");
  const person = await org.member({ role });
  const userId = await userIdOf(t, person);
  const report = {
    organizationId: org.id,
    actor: { userId },
    usage: [{ limit: "inspections", id: "1", amount: 1 }],
    audit: [{ action: "INSPECTION_DELETED", targetId: org.id, metadata: { title: "Roof" } }],
    events: [{ type: "inspection.completed", objectId: org.id, object: {} }],
    notifications: [{ type: "INSPECTION_ASSIGNED", userIds: [userId], data: { id: "1", title: "Roof" } }],
  };
  const { eventIds } = expectStatus(await product.changes(report), 200).body;
  await relay(t);

  const as = (one: Caller) => Object.assign(new Caller(url), { accessToken: one.accessToken });
  const [admin, member, other] = [as(org.admin), as(person), new ProductCaller(url)];
  const refused = expectStatus(await other.changes(report), 400).body.errors;
  expect(refused.map(({ path }: { path: string }) => path)).toEqual([
    "usage.0.limit",
    "audit.0.action",
    "events.0.type",
    "notifications.0.type",
  ]);
  const answer = expectStatus(
    await other.post("/api/product/check", { token: person.accessToken }),
    200,
  ).body;
  expect(answer.permissions).toEqual(["Inspections.Read"]);

  const log = expectStatus(await admin.get("/api/organization/audit-events"), 200).body.data;
  const entry = log.find(({ action }: { action: string }) => action === "INSPECTION_DELETED");
  expect([entry.action, entry.text.en]).toEqual(["INSPECTION_DELETED", "INSPECTION_DELETED"]);
  const [notification] = expectStatus(await member.get("/api/notifications"), 200).body.data;
  expect([notification.text.en, notification.link]).toEqual(["INSPECTION_ASSIGNED", null]);
  expectStatus(await admin.get(`/api/events/${eventIds[0]}`), 200);
  for (const path of [
    "events",
    "permissions",
    "roles",
    "organization/billing",
    "organization/audit-events/export",
  ])
    expect([path, (await admin.get(`/api/${path}`)).status]).toEqual([path, 200]);
  expect(expectStatus(await other.get(`/api/product/organizations/${org.id}/usage`), 200).body).toEqual([]);

  const roles = expectStatus(await admin.get("/api/roles"), 200).body.data;
  const shown = roles.find(({ id }: { id: string }) => id === role);
  expect(shown.permissions).toEqual(["Todos.Read", "Inspections.Read"]);
  expectStatus(await admin.patch(`/api/roles/${role}`, { permissions: ["Inspections.Delete"] }), 400);
  expectStatus(await admin.patch(`/api/roles/${role}`, { name: "Renamed" }), 200);
  expectStatus(await admin.patch(`/api/roles/${role}`, { permissions: ["Todos.Read"] }), 200);
  expectStatus(await admin.patch(`/api/members/${userId}/roles`, assignments({ role })), 200);
  const now = expectStatus(await product.post("/api/product/check", { token: person.accessToken }), 200).body;
  expect(now.permissions).toEqual(["Inspections.Delete"]);
});
