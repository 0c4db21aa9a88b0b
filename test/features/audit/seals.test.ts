import { expect, test } from "bun:test";
import { SQL } from "bun";
import { storeEvent } from "../../support/audit.ts";
import { auditCommand, seal, sealNow, tamper, verify } from "../../support/audit-chains.ts";
import { layPeriods } from "../../support/audit-periods.ts";
import type { Caller } from "../../support/caller.ts";
import { createOrganization, userIdOf } from "../../support/organizations.ts";
import { expectStatus, startService } from "../../support/service.ts";

const t = await startService({ RETENTION_AUDIT_MONTHS: "2", RETENTION_DELETED_ACCOUNTS_DAYS: "30" });

async function runJob(name: string) {
  await t.sql("INSERT INTO pgboss.job (name) VALUES ($1)", [name]);
  await t.drain();
}

/** Returns the ids of an organization's sealed events in chain order, and the number of its stored events. */
async function chainOf({ id }: { id: string }) {
  const sealed = await t.sql<{ id: string }>(
    "SELECT unnest(event_ids) AS id FROM audit_seals WHERE chain = $1 ORDER BY number",
    [id],
  );
  const [there] = await t.sql<{ count: number }>(
    "SELECT count(*)::int AS count FROM audit_events WHERE organization_id = $1",
    [id],
  );
  return { ids: sealed.map((row) => row.id), events: there?.count };
}

/** Deletes an account, and runs the job that replaces its email by a pseudonym as if a month had passed. */
async function pseudonymise(person: Caller) {
  const id = await userIdOf(t, person);
  expectStatus(await person.post("/api/profile/delete", { password: person.account.password }), 204);
  await t.sql("UPDATE users SET deleted_at = now() - interval '31 days' WHERE id = $1", [id]);
  await runJob("accounts.pseudonymise");
}

const INSERT = "INSERT INTO audit_events (action, organization_id) VALUES ('UNIT_CREATED', $1) RETURNING id";

test("the job that seals audit events is scheduled every minute", async () => {
  expect(await t.sql("SELECT cron FROM pgboss.schedule WHERE name = 'audit.seal'")).toEqual([
    { cron: "* * * * *" },
  ]);
});

test("an audit event that commits after later ones were sealed is sealed by the next run", async () => {
  const organization = await createOrganization(t);
  await seal(t);
  const writer = new SQL({ url: t.databaseUrl, max: 1 });
  await writer.unsafe("BEGIN");
  const [late] = await writer.unsafe(INSERT, [organization.id]);
  const early = await storeEvent(t, { organizationId: organization.id });
  await seal(t);
  expect((await chainOf(organization)).ids.at(-1)).toBe(early);
  await writer.unsafe("COMMIT");
  await writer.close();
  await seal(t);
  expect((await chainOf(organization)).ids.slice(-2)).toEqual([early, late.id]);
  expect((await verify(t, organization)).code).toBe(0);
});

test("every audit event is sealed exactly once, in any order of commits and with concurrent sealing jobs", async () => {
  const organizations = [await createOrganization(t), await createOrganization(t)];
  let isDone = false;
  const sealing = [1, 2, 3].map(async () => {
    while (!isDone) await sealNow(t);
  });
  const writers = [0, 1, 2, 3, 4, 5].map(async (number) => {
    const writer = new SQL({ url: t.databaseUrl, max: 1 });
    for (let round = 0; round < 15; round += 1) {
      await writer.unsafe("BEGIN");
      for (let count = 0; count <= (number + round) % 3; count += 1)
        await writer.unsafe(INSERT, [organizations[(number + count) % 2]?.id]);
      await Bun.sleep((number * round) % 7);
      await writer.unsafe(round % 5 === 4 ? "ROLLBACK" : "COMMIT");
    }
    await writer.close();
  });
  await Promise.all(writers);
  isDone = true;
  await Promise.all(sealing);
  await sealNow(t);
  for (const organization of organizations) {
    const { ids, events } = await chainOf(organization);
    expect(ids).toHaveLength(events ?? 0);
    expect(new Set(ids).size).toBe(ids.length);
    expect((await verify(t, organization)).code).toBe(0);
  }
});

test("one run of the sealing job seals more events than fit into one batch or one transaction", async () => {
  const organization = await createOrganization(t);
  await t.sql(
    "INSERT INTO audit_events (action, organization_id) SELECT 'UNIT_CREATED', $1 FROM generate_series(1, 1100)",
    [organization.id],
  );
  await seal(t);
  const { ids, events } = await chainOf(organization);
  expect(ids).toHaveLength(events ?? 0);
  const { code, lines } = await verify(t, organization);
  expect({ code, summary: lines.at(0)?.split(" in ")[0] }).toEqual({ code: 0, summary: `${events} events` });
});

test("user input that looks like a pseudonym neither stops sealing nor is reported as a change", async () => {
  const organization = await createOrganization(t);
  const person = await organization.member();
  const id = await userIdOf(t, person);
  const typed = [`deleted-${id}@deleted.invalid`, `deleted-${"-".repeat(36)}@deleted.invalid`];
  const stored: string[] = [];
  for (const email of typed)
    stored.push(await storeEvent(t, { action: "LOGIN_FAILED", metadata: { email } }));
  await sealNow(t);
  expect(await t.sql("SELECT FROM audit_unsealed")).toEqual([]);
  await pseudonymise(person);
  // An event with that input that is written and sealed after the account got its pseudonym.
  stored.push(await storeEvent(t, { action: "LOGIN_FAILED", metadata: { email: typed[0] } }));
  await sealNow(t);
  expect((await auditCommand(t, ["verify", "--platform"])).named).toEqual({});
  const admin = await t.platformAdmin();
  for (const event of stored) {
    const { body } = expectStatus(await admin.get(`/api/audit-events/proof?eventId=${event}`), 200);
    const { digest, position, batch } = body.event;
    expect(batch.events[position - 1 - (batch.position - batch.events.length)].digest).toBe(digest);
  }
});

test("events of a unit that was named like an email and like its pseudonym verify; a forged name is reported as changed", async () => {
  const { admin, id } = await createOrganization(t);
  const other = await createOrganization(t);
  const pseudonym = `deleted-${await userIdOf(t, admin)}@deleted.invalid`;
  const unit = expectStatus(await admin.post("/api/units", { name: pseudonym, parentId: null }), 201).body.id;
  for (const name of [admin.email, `"${admin.email}`, pseudonym])
    expectStatus(await admin.patch(`/api/units/${unit}`, { name }), 200);
  await seal(t);
  await pseudonymise(admin);
  expect((await verify(t, { id })).named).toEqual({});
  const renamed = `SELECT id, metadata FROM audit_events WHERE organization_id = $1 AND action = 'UNIT_UPDATED' ORDER BY id`;
  const [first] = await t.sql<{ id: string; metadata: unknown }>(renamed, [id]);
  expect(JSON.stringify(first?.metadata)).not.toContain(admin.email);
  const name = other.admin.email;
  await tamper(
    t,
    `UPDATE audit_events SET metadata = replace(metadata::text, '"${pseudonym}"', '"${name}"')::jsonb WHERE id = '${first?.id}'`,
  );
  expect((await verify(t, { id })).named).toEqual({ [first?.id ?? ""]: "changed" });
});

test("an event with many emails of several accounts and their pseudonyms verifies; without their stored positions, only one with few does", async () => {
  const organization = await createOrganization(t);
  const people = [await organization.member(), await organization.member()];
  const ids = await Promise.all(people.map((person) => userIdOf(t, person)));
  const texts = people.flatMap(({ email }, index) => [email, `deleted-${ids[index]}@deleted.invalid`]);
  const about = { organizationId: organization.id, targetType: "user" };
  const many = Array.from({ length: 40 }, (_, index) => texts[(index * index + (index >> 3)) % texts.length]);
  const events = [];
  for (const targetId of ids)
    for (const all of [many, texts])
      events.push(await storeEvent(t, { ...about, targetId, metadata: { all } }));
  await seal(t);
  for (const person of people) await pseudonymise(person);
  expect((await verify(t, organization)).named).toEqual({});
  // An event may have no stored positions of its pseudonyms.
  await tamper(t, `DELETE FROM audit_pseudonyms WHERE event_id IN ('${events.join("', '")}')`);
  expect((await verify(t, organization)).named).toEqual({
    [events[0] as string]: "changed",
    [events[2] as string]: "changed",
  });
});

test("an event with an impossible time, which the service never writes, is reported and does not stop the sealing of others", async () => {
  const organization = await createOrganization(t);
  const times = ["infinity", "0044-03-15 BC"];
  const added: string[] = [];
  for (const time of times) added.push(await storeEvent(t, { organizationId: organization.id, time }));
  const good = await storeEvent(t, { organizationId: organization.id });
  await sealNow(t);
  expect((await chainOf(organization)).ids.at(-1)).toBe(good);
  const { code, named } = await verify(t, organization);
  expect({ code, named }).toEqual({
    code: 1,
    named: Object.fromEntries(added.map((id) => [id, "inserted"])),
  });
  for (const id of added)
    await tamper(
      t,
      `DELETE FROM audit_events WHERE id = '${id}'`,
      `DELETE FROM audit_unsealed WHERE event_id = '${id}'`,
    );
});

test("the database refuses to update, delete or truncate seals", async () => {
  await createOrganization(t);
  await seal(t);
  for (const statement of [
    "UPDATE audit_seals SET number = 0",
    "DELETE FROM audit_seals",
    "TRUNCATE audit_seals",
  ])
    await expect(t.sql(statement)).rejects.toThrow("is append-only");
});

test("an event verifies with an account's pseudonym in place of its email; any other text there is reported as changed", async () => {
  const organization = await createOrganization(t);
  const person = await organization.member();
  const id = await userIdOf(t, person);
  const about = { organizationId: organization.id, targetType: "user", targetId: id };
  const event = await storeEvent(t, {
    ...about,
    metadata: { email: person.email, others: ["ada@example.com"] },
  });
  const forged = await storeEvent(t, { ...about, metadata: { email: "ada@example.com" } });
  await seal(t);
  await pseudonymise(person);
  const [changed] = await t.sql("SELECT metadata FROM audit_events WHERE id = $1", [event]);
  expect(changed?.metadata).toEqual({ email: `deleted-${id}@deleted.invalid`, others: ["ada@example.com"] });
  const after = await storeEvent(t, { ...about, metadata: { email: `deleted-${id}@deleted.invalid` } });
  await seal(t);
  expect((await verify(t, organization)).named).toEqual({});
  // One event has the pseudonym in place of another account's email; the other has a digest in place of an email.
  const [{ digest } = { digest: "" }] = await t.sql<{ digest: string }>(
    "SELECT encode(digest, 'hex') AS digest FROM retired_emails WHERE user_id = $1",
    [id],
  );
  const forge = (metadata: object, of: string) =>
    t.sql(`DO $$ BEGIN PERFORM set_config('session_replication_role', 'replica', true);
      UPDATE audit_events SET metadata = '${JSON.stringify(metadata)}' WHERE id = '${of}'; END $$`);
  await forge({ email: `deleted-${id}@deleted.invalid` }, forged);
  await forge({ email: `email-sha256:${digest}` }, after);
  expect((await verify(t, organization)).named).toEqual({ [forged]: "changed", [after]: "changed" });
  // Forges a retired email that points to an account without a pseudonym.
  const live = await userIdOf(t, organization.admin);
  await t.sql(
    "INSERT INTO retired_emails (digest, user_id) VALUES (digest_of_email('ada@example.com'), $1)",
    [live],
  );
  await forge({ email: `deleted-${live}@deleted.invalid` }, forged);
  expect((await verify(t, organization)).named).toEqual({ [forged]: "changed", [after]: "changed" });
});

test("events dropped by retention are counted as such; other missing events are reported by id", async () => {
  await layPeriods(t, [5, 4, 3, 2, 1, 0]);
  await t.sql(
    "DO $$ BEGIN PERFORM set_config('session_replication_role', 'replica', true); DELETE FROM audit_seals; END $$",
  );
  const organization = await createOrganization(t);
  const monthsAgo = (months: number) => new Date(Date.now() - months * 31 * 24 * 3_600_000).toISOString();
  const organizationId = organization.id;
  for (const months of [6, 5, 4]) await storeEvent(t, { organizationId, time: monthsAgo(months) });
  const removed = await storeEvent(t, { organizationId, time: monthsAgo(1) });
  await seal(t);
  await runJob("audit.periods");
  const given = ["verify", "--organization", organization.id];
  const { code, lines } = await auditCommand(t, given, { RETENTION_AUDIT_MONTHS: "2" });
  expect(code).toBe(0);
  expect(lines.find((line) => line.startsWith("3 of them dropped by retention, up to "))).toBeDefined();
  await t.sql(`DO $$ BEGIN PERFORM set_config('session_replication_role', 'replica', true);
    DELETE FROM audit_events WHERE id = '${removed}'; END $$`);
  expect((await verify(t, organization)).named).toEqual({ [removed]: "removed" });
  // With a longer or unlimited retention, the same drop is too early.
  for (const months of ["12", ""]) {
    const kept = await auditCommand(t, ["verify", "--platform"], { RETENTION_AUDIT_MONTHS: months });
    expect(kept.lines.find((line) => line.startsWith("dropped too early: events up to "))).toBeDefined();
    expect(kept.code).toBe(1);
  }
});
