import { expect, test } from "bun:test";
import { synchronizeBuiltInRoles } from "../../../src/features/roles/built-in.ts";
import { createOrganization, roleId } from "../../support/organizations.ts";
import { expectStatus, sharedService } from "../../support/service.ts";
import { ENDPOINTS } from "../../support/webhooks.ts";

/* During a rolling change an older instance reads and writes names that only the newer one knows. */
const t = await sharedService();
const NEWER = ["Invoices.Read", "Invoices.Pay"];
const stored = async (id: string) =>
  (await t.sql<{ permissions: string[] }>("SELECT permissions FROM roles WHERE id = $1", [id]))[0]
    ?.permissions;

test("permissions of a newer version are hidden, grant nothing and survive every write of the role (rules 12.7)", async () => {
  const org = await createOrganization(t);
  const id = await org.role("Clerk", "Todos.Read", "Members.Read");
  await t.sql("UPDATE roles SET permissions = $2 || permissions WHERE id = $1", [id, NEWER]);
  const member = await org.member({ role: id });
  const claims = JSON.parse(
    atob(member.accessToken?.split(".")[1]?.replaceAll("-", "+").replaceAll("_", "/") ?? ""),
  );
  expect(claims.permissions).toEqual(["Members.Read", "Todos.Read"]);
  const path = `/api/roles/${id}`;
  const writes: [body: object, known: string[]][] = [
    [{ name: "Renamed" }, ["Members.Read", "Todos.Read"]],
    [{ description: "Changed" }, ["Members.Read", "Todos.Read"]],
    [{ permissions: ["Units.Read"] }, ["Units.Read"]],
    [{ name: "Again", permissions: ["Units.Read", "Todos.Read"] }, ["Units.Read", "Todos.Read"]],
    [{ permissions: [] }, []],
    [{}, []],
  ];
  for (const [body, known] of writes) {
    expect(expectStatus(await org.admin.patch(path, body), 200).body.permissions).toEqual(known);
    expect((await stored(id))?.toSorted()).toEqual([...known, ...NEWER].toSorted());
  }
  const { data } = expectStatus(await org.admin.get("/api/roles"), 200).body;
  expect(data.find((role: { id: string }) => role.id === id).permissions).toEqual([]);
  const written = await t.sql(
    `SELECT metadata::text AS text FROM audit_events WHERE target_id = $1
     UNION ALL SELECT data::text FROM event_outbox WHERE organization_id = $2 AND type = 'role.updated'`,
    [id, org.id],
  );
  expect(written.length).toBeGreaterThan(6);
  expect(written.filter(({ text }) => String(text).includes("Invoices."))).toEqual([]);
});

test("the migration of an older version takes no permission of a newer one from the built-in roles (rules 12.3)", async () => {
  const id = roleId("MEMBER");
  const before = await stored(id);
  await t.sql(
    "UPDATE roles SET permissions = array_append(array_remove(permissions, 'Todos.Read'), $2) WHERE id = $1",
    [id, NEWER[0]],
  );
  try {
    expect(await synchronizeBuiltInRoles(t.databaseUrl)).toEqual(["role MEMBER is as the catalog has it"]);
    expect(await stored(id)).toEqual([...(before ?? []), NEWER[0] ?? ""]);
    expect(await synchronizeBuiltInRoles(t.databaseUrl)).toEqual([]);
  } finally {
    await t.sql("UPDATE roles SET permissions = $2 WHERE id = $1", [id, before]);
  }
});

test("event types of a newer version are hidden and survive every change of a webhook endpoint (rules 30.1)", async () => {
  const org = await createOrganization(t);
  const body = { url: "https://hooks.example.com/a", eventTypes: ["todo.created"] };
  const { id } = expectStatus(await org.admin.post(ENDPOINTS, body), 201).body;
  await t.sql(
    "UPDATE webhook_endpoints SET event_types = array_prepend('invoice.paid', event_types) WHERE id = $1",
    [id],
  );
  for (const change of [
    { description: "Changed" },
    { eventTypes: ["unit.created", "todo.deleted"] },
    { enabled: false },
  ]) {
    const { eventTypes } = expectStatus(await org.admin.patch(`${ENDPOINTS}/${id}`, change), 200).body;
    expect(eventTypes).toEqual(change.eventTypes ?? expect.not.arrayContaining(["invoice.paid"]));
    const [row] = await t.sql<{ types: string[] }>(
      "SELECT event_types AS types FROM webhook_endpoints WHERE id = $1",
      [id],
    );
    expect(row?.types).toEqual([...eventTypes, "invoice.paid"]);
  }
});
