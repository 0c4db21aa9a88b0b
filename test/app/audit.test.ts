import { expect, test } from "bun:test";
import { storeEvent } from "../support/audit.ts";
import { auditCommand, seal, tamper, verify } from "../support/audit-chains.ts";
import { createOrganization } from "../support/organizations.ts";
import { type Service, startService } from "../support/service.ts";

const t = await startService();

/**
 * Creates an organization with this many sealed events besides those of its creation; returns their ids in the order
 * of the chain.
 */
async function sealed(count: number, service: Service = t) {
  const organization = await createOrganization(service);
  const organizationId = organization.id;
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1)
    ids.push(
      await storeEvent(service, { organizationId, metadata: { number, email: `p${number}@example.com` } }),
    );
  await seal(service);
  return { organization, ids };
}

const CLEAN = "nothing was changed, removed or inserted";
const at = (ids: string[], index: number) => ids[index] as string;

test("`bun run audit verify` has no findings for an unchanged log, and counts unsealed events", async () => {
  const { organization, ids } = await sealed(3);
  await storeEvent(t, { organizationId: organization.id });
  const { code, lines, named } = await verify(t, organization);
  expect({ code, named }).toEqual({ code: 0, named: {} });
  expect(lines.at(-1)).toBe(CLEAN);
  expect(lines.find((line) => line.includes("1 not sealed yet"))).toBeDefined();
  expect(ids).toHaveLength(3);
});

test("`bun run audit verify` names exactly the events that were changed, swapped, moved, removed or inserted", async () => {
  const { organization, ids } = await sealed(12);
  const event = (index: number) => `id = '${at(ids, index)}'`;
  const inserted = crypto.randomUUID();
  const changes = [
    `action = 'UNIT_DELETED'`,
    `metadata = '{"number": 1, "email": "other@example.com"}'`,
    `ip = '203.0.113.9'`,
    "is_above_units = true",
    "organization_id = NULL",
    "time = time - interval '1 minute'",
  ];
  await tamper(
    t,
    ...changes.map((change, index) => `UPDATE audit_events SET ${change} WHERE ${event(index)}`),
    // Swaps the metadata of two events.
    `UPDATE audit_events e SET metadata = other.metadata FROM audit_events other
       WHERE (e.${event(7)} AND other.${event(8)}) OR (e.${event(8)} AND other.${event(7)})`,
    `DELETE FROM audit_events WHERE ${event(10)}`,
    `INSERT INTO audit_events (id, action, organization_id) VALUES ('${inserted}', 'UNIT_CREATED', '${organization.id}')`,
  );
  const { code, named } = await verify(t, organization);
  expect(named).toEqual({
    ...Object.fromEntries([0, 1, 2, 3, 4, 5, 7, 8].map((index) => [at(ids, index), "changed"])),
    [at(ids, 10)]: "removed",
    [inserted]: "inserted",
  });
  expect(code).toBe(1);
});

test("`bun run audit verify` names an event that was removed before it was sealed, both before and after sealing", async () => {
  const { organization } = await sealed(1);
  const gone = await storeEvent(t, { organizationId: organization.id });
  const unqueued = await storeEvent(t, { organizationId: organization.id });
  await tamper(
    t,
    `DELETE FROM audit_events WHERE id = '${gone}'`,
    `DELETE FROM audit_unsealed WHERE event_id = '${unqueued}'`,
  );
  const named = { [gone]: "removed", [unqueued]: "inserted" };
  expect((await verify(t, organization)).named).toEqual(named);
  await seal(t);
  expect((await verify(t, organization)).named).toEqual(named);
});

test("`bun run audit verify` names an event that was added with a time in the past", async () => {
  const { organization } = await sealed(1);
  const time = new Date(Date.now() - 2 * 3_600_000).toISOString();
  const added = await storeEvent(t, { organizationId: organization.id, time });
  const late = await storeEvent(t, {
    organizationId: organization.id,
    time: new Date(Date.now() - 600_000).toISOString(),
  });
  await seal(t);
  const { named } = await verify(t, organization);
  expect(named).toEqual({ [added]: "backdated" });
  expect(late).not.toBe(added);
});

test("`bun run audit verify` finds a changed batch and names its events", async () => {
  const changes = [
    "event_ids = ARRAY[event_ids[2], event_ids[1]] || event_ids[3:], event_times = ARRAY[event_times[2], event_times[1]] || event_times[3:]",
    "event_digests = substr(event_digests, 33, 32) || substr(event_digests, 1, 32) || substr(event_digests, 65)",
    "sealed_at = sealed_at - interval '1 day'",
    "digest = sha256('other')",
    "last_time = last_time - interval '1 second'",
  ];
  const found: unknown[] = [];
  // Sequentially, because sealing for one change would seal events of another.
  for (const change of changes) {
    const { organization, ids } = await sealed(3);
    await tamper(t, `UPDATE audit_seals SET ${change} WHERE chain = '${organization.id}' AND number = 1`);
    const { code, lines } = await verify(t, organization);
    const broken = lines.find((line) => line.startsWith("broken: batch 1 ")) ?? "";
    found.push([change, code, ids.every((id) => broken.includes(id))]);
  }
  expect(found).toEqual(changes.map((change) => [change, 1, true]));
});

test("`bun run audit verify` reports removed batches as missing, and their events as inserted", async () => {
  const { organization, ids } = await sealed(2);
  await storeEvent(t, { organizationId: organization.id });
  await seal(t);
  await tamper(t, `DELETE FROM audit_seals WHERE chain = '${organization.id}' AND number = 1`);
  const { code, lines, named } = await verify(t, organization);
  expect(code).toBe(1);
  expect(lines).toContain(`missing: batches 1 to 1 are not there (${organization.id})`);
  for (const id of ids) expect(named[id]).toBe("inserted");
});

test("a chain that was rebuilt completely is found only by comparison with a digest saved elsewhere", async () => {
  const { organization, ids } = await sealed(3);
  const saved = `${process.env.TMPDIR ?? "/tmp"}/heads-${crypto.randomUUID()}`;
  const heads = await auditCommand(t, ["heads"]);
  await Bun.write(saved, heads.lines.join("\n"));
  expect((await verify(t, organization, "--heads", saved)).code).toBe(0);
  const unreadable = await verify(t, organization, "--heads", "/nowhere");
  expect([unreadable.code, unreadable.problems]).toEqual([1, "/nowhere cannot be read\n"]);
  await tamper(
    t,
    `DELETE FROM audit_events WHERE id = '${at(ids, 1)}'`,
    `DELETE FROM audit_seals WHERE chain = '${organization.id}'`,
    `INSERT INTO audit_unsealed SELECT id, time, organization_id FROM audit_events WHERE organization_id = '${organization.id}'`,
  );
  await seal(t);
  expect((await verify(t, organization)).code).toBe(0);
  const compared = await verify(t, organization, "--heads", saved);
  expect(compared.code).toBe(1);
  expect(compared.lines.find((line) => line.includes("was saved"))).toStartWith(
    "broken: batch 1 has the digest",
  );
  await tamper(t, `DELETE FROM audit_seals WHERE chain = '${organization.id}'`);
  const without = await verify(t, organization, "--heads", saved);
  expect(without.lines).toContain(`missing: batch 1, whose digest was saved (${organization.id})`);
  await Bun.file(saved).delete();
});

test.each([
  [["verify", "--organization", "acme"]],
  [["verify", "--heads", "/nowhere"]],
  [["seal"]],
  [["heads", "--all"]],
  [[]],
])("invalid arguments of `bun run audit` are reported and nothing is done: %j", async (given) => {
  const { code, lines, problems } = await auditCommand(t, given);
  expect({ code, lines }).toEqual({ code: 1, lines: [""] });
  expect(problems).not.toBe("");
});
