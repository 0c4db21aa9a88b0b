import { expect, test } from "bun:test";
import type { ResolveTxt } from "../../../src/platform/http/dns/resolve-txt.ts";
import type { ApiResponse } from "../../support/caller.ts";
import { add, newName, read, runChecks, startWithDns, verified, verify } from "../../support/domains.ts";
import { holdEvents, holdOrganizationLock, inLine } from "../../support/locks.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { ROUNDS, race } from "../../support/race.ts";

/* DNS answers late, so that all calls have read the domain before the first one writes what it found. */
const { t, dns } = await startWithDns();
const LATE_MS = 300;

const eventsOf = async (ids: string[]) =>
  t.sql<{ action: string }>(
    "SELECT action FROM audit_events WHERE target_id = ANY ($1::uuid[]) AND action IN ('DOMAIN_VERIFIED', 'DOMAIN_LAPSED')",
    [`{${ids.join(",")}}`],
  );

// Fails without the unique index organization_domains_verified, or if its violation is not DOMAIN_TAKEN.
test("of ten organizations that verify one name at once, one has it and nine learn that it is taken", async () => {
  const name = newName();
  const claims = await race(10, async () => {
    const org = await createOrganization(t);
    return { org, domain: await add(org, name) };
  });
  const record = claims[0]?.domain.record.name ?? "";
  dns.answers.set(record, { records: claims.map(({ domain }) => [domain.record.value]) });
  // The first one waits before its event, with the domain verified but not committed: the others cannot see that.
  const events = await holdEvents(t);
  const verifications = claims.map(({ org, domain }) => verify(org.admin, domain));
  await events.waiting(claims.length);
  await events.release();
  const outcomes = await Promise.all(verifications);
  expect(outcomes.map(({ body }) => body.status ?? body.code).sort()).toEqual([
    ...Array.from({ length: 9 }, () => "DOMAIN_TAKEN"),
    "VERIFIED",
  ]);
  expect(await eventsOf(claims.map(({ domain }) => domain.id))).toHaveLength(1);
});

// Fails without the condition on the status in markDomainPresent.
test("a domain that is verified by a request and by the job at once has one event", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const org = await createOrganization(t);
    const domain = await add(org);
    dns.answers.set(domain.record.name, { records: [[domain.record.value]], delayMs: LATE_MS });
    const [verifications] = await Promise.all([race(3, () => verify(org.admin, domain)), runChecks(t)]);
    expect(verifications.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await eventsOf([domain.id])).toEqual([{ action: "DOMAIN_VERIFIED" }]);
  }
});

// Fails if markDomainAbsent judges by what was read before DNS answered, or a present answer leaves it standing.
test("an absent answer that arrives after a present one does not lapse the domain", async () => {
  const org = await createOrganization(t);
  const domain = await verified(dns, org);
  await t.sql(
    `UPDATE organization_domains SET missing_since = now() - interval '15 days', absent_count = 20,
       checked_at = now() - interval '2 days' WHERE id = $1`,
    [domain.id],
  );
  const app = t.running.app as { resolveTxt: ResolveTxt };
  const { resolveTxt } = app;
  const late = Promise.withResolvers<Awaited<ReturnType<ResolveTxt>>>();
  const asked = new Promise<void>((resolve) => {
    app.resolveTxt = (name) => {
      if (name !== domain.record.name) return resolveTxt(name);
      resolve();
      return late.promise;
    };
  });
  const checked = runChecks(t);
  await asked;
  app.resolveTxt = resolveTxt;
  expect((await verify(org.admin, domain)).status).toBe(200);
  late.resolve({ kind: "absent" });
  await checked;
  expect((await read(org.admin, domain)).status).toBe("VERIFIED");
  expect(await eventsOf([domain.id])).toEqual([{ action: "DOMAIN_VERIFIED" }]);
});

// Fails without the condition on the status in markDomainAbsent.
test("a domain that lapses by two checks at once has one event", async () => {
  const org = await createOrganization(t);
  const domain = await verified(dns, org);
  await t.sql(
    `UPDATE organization_domains SET missing_since = now() - interval '15 days', absent_count = 20,
       checked_at = now() - interval '2 days' WHERE id = $1`,
    [domain.id],
  );
  dns.answers.set(domain.record.name, { code: "NXDOMAIN", delayMs: LATE_MS });
  const asked = dns.asked.length;
  const first = runChecks(t);
  while (dns.asked.length === asked) await Bun.sleep(10);
  await t.sql("UPDATE organization_domains SET asked_until = NULL WHERE id = $1", [domain.id]);
  await Promise.all([first, runChecks(t)]);
  expect((await eventsOf([domain.id])).filter(({ action }) => action === "DOMAIN_LAPSED")).toHaveLength(1);
});

// Fails without asked_until in takeDomainsToCheck.
test("several instances that run the job at once ask for each domain once", async () => {
  const org = await createOrganization(t);
  const all = await race(5, () => add(org));
  for (const { record } of all) dns.answers.set(record.name, { records: [["no"]], delayMs: LATE_MS });
  await race(4, () => runChecks(t));
  for (const { record } of all) expect(dns.asked.filter((name) => name === record.name)).toHaveLength(1);
});

// Fails without the read of the domain after the lock.
test("a domain that is removed while DNS is asked is 404, and nothing is written", async () => {
  const org = await createOrganization(t);
  const domain = await add(org);
  dns.answers.set(domain.record.name, { records: [[domain.record.value]], delayMs: LATE_MS });
  const asked = dns.asked.length;
  const verification = verify(org.admin, domain);
  while (dns.asked.length === asked) await Bun.sleep(10);
  await org.admin.delete(`/api/organization/domains/${domain.id}`);
  expect((await verification).status).toBe(404);
  expect(await eventsOf([domain.id])).toEqual([]);
});

// Fails if the domain is looked up before the lock, or lapses without it.
test("joining by a domain against its lapse: not listed any more, or a member before", async () => {
  for (const isLapsedFirst of [true, false]) {
    const org = await createOrganization(t);
    const domain = await verified(dns, org);
    await t.sql(
      `UPDATE organization_domains SET join_mode = 'automatic', missing_since = now() - interval '15 days', absent_count = 20,
         checked_at = now() - interval '2 days' WHERE id = $1`,
      [domain.id],
    );
    dns.answers.set(domain.record.name, { code: "NXDOMAIN" });
    const person = await t.person({ email: `p-${crypto.randomUUID()}@${domain.domain}` });
    const lock = await holdOrganizationLock(t, org.id);
    const join = () => person.post(`/api/auth/organizations/${org.id}/join`);
    const lapse = () => runChecks(t);
    const answers = await inLine<unknown>(lock, ...(isLapsedFirst ? [lapse, join] : [join, lapse]));
    const joined = answers[isLapsedFirst ? 1 : 0] as ApiResponse;
    expect(joined.status).toBe(isLapsedFirst ? 404 : 201);
    expect((await read(org.admin, domain)).status).toBe("LAPSED");
    const member = await org.admin.get(`/api/members/${idOf(person)}`);
    expect(member.status).toBe(isLapsedFirst ? 404 : 200);
  }
});
