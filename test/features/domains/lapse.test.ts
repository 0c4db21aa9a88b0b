import { expect, test } from "bun:test";
import { nextDay, publish, read, runChecks, startWithDns, verified, verify } from "../../support/domains.ts";
import { typesOf } from "../../support/notifications.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { expectStatus } from "../../support/service.ts";

const { t, dns } = await startWithDns();

const told = async ({ admin }: Organization) =>
  (await typesOf(admin)).filter((type) => type.startsWith("DOMAIN_")).reverse();
const lapses = async (org: Organization) =>
  (await org.admin.get("/api/organization/audit-events?action=DOMAIN_LAPSED")).body.data;

test("a record that stays absent is told after 1, 7 and 13 days, and lapses after 14", async () => {
  const org = await createOrganization(t);
  const domain = await verified(dns, org);
  const mails = async () =>
    (await t.mailTo(org.admin.email)).filter(
      ({ subject }) => subject.includes("DNS") || subject.includes("lapsed"),
    );
  dns.publish(domain.record.name);
  const toldOn: Record<number, string[]> = {};
  for (let day = 0; day <= 14; day += 1) {
    await nextDay(t, domain);
    toldOn[day] = await told(org);
    const { status, missingSince } = await read(org.admin, domain);
    expect([day, status, missingSince === null]).toEqual([day, day < 14 ? "VERIFIED" : "LAPSED", false]);
  }
  const times = (count: number) => Array.from({ length: count }, () => "DOMAIN_MISSING");
  expect([toldOn[0], toldOn[1], toldOn[6], toldOn[7], toldOn[12], toldOn[13]]).toEqual(
    [0, 1, 1, 2, 2, 3].map(times),
  );
  expect(toldOn[14]).toEqual([...times(3), "DOMAIN_LAPSED"]);
  expect(await mails()).toHaveLength(4);
  expect(await lapses(org)).toMatchObject([
    { actorId: null, targetType: "domain", targetId: domain.id, metadata: { domain: domain.domain } },
  ]);
  const { body } = await org.admin.get("/api/notifications?pageSize=50");
  const missing = body.data.find(({ type }: { type: string }) => type === "DOMAIN_MISSING");
  expect(missing.data).toEqual({
    organizationId: org.id,
    domain: domain.domain,
    lapsesAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  });
  await nextDay(t, domain);
  expect(await lapses(org)).toHaveLength(1);
});

test("a lapsed domain is verified again when its record is back, unless another organization has it", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const domain = await verified(dns, org);
  await t.sql("UPDATE organization_domains SET status = 'LAPSED', missing_since = now() WHERE id = $1", [
    domain.id,
  ]);
  const second = await verified(dns, other, domain.domain);
  dns.publish(domain.record.name, domain.record.value, second.record.value);
  await nextDay(t, domain);
  expect((await read(org.admin, domain)).status).toBe("LAPSED");
  expect((await verify(org.admin, domain)).body.code).toBe("DOMAIN_TAKEN");
  expectStatus(await other.admin.delete(`/api/organization/domains/${second.id}`), 204);
  await nextDay(t, domain);
  expect(await read(org.admin, domain)).toMatchObject({ status: "VERIFIED", missingSince: null });
});

test("one absent answer after a long silence does not lapse, nor fewer than ten in two weeks", async () => {
  const org = await createOrganization(t);
  const domain = await verified(dns, org);
  dns.publish(domain.record.name);
  await nextDay(t, domain);
  await nextDay(t, domain, 20);
  expect((await read(org.admin, domain)).status).toBe("VERIFIED");
  for (let count = 0; count < 7; count += 1) await nextDay(t, domain);
  expect((await read(org.admin, domain)).status).toBe("VERIFIED");
  await nextDay(t, domain);
  expect((await read(org.admin, domain)).status).toBe("LAPSED");
});

test("a present answer begins anew, and no answer for a month changes nothing", async () => {
  const org = await createOrganization(t);
  const domain = await verified(dns, org);
  dns.publish(domain.record.name);
  for (let day = 0; day < 13; day += 1) await nextDay(t, domain);
  publish(dns, domain);
  await nextDay(t, domain);
  expect(await read(org.admin, domain)).toMatchObject({ status: "VERIFIED", missingSince: null });
  const before = await read(org.admin, domain);
  dns.answers.set(domain.record.name, { code: "SERVFAIL" });
  for (let day = 0; day < 30; day += 1) await nextDay(t, domain);
  expect(await read(org.admin, domain)).toMatchObject({ status: "VERIFIED", missingSince: null });
  expect(before.status).toBe("VERIFIED");
  dns.publish(domain.record.name);
  await nextDay(t, domain);
  expect(await told(org)).toEqual(["DOMAIN_MISSING", "DOMAIN_MISSING"]);
});

test("an unanswered domain is asked again after ten minutes, not at each run", async () => {
  const org = await createOrganization(t);
  const domain = await verified(dns, org);
  dns.answers.set(domain.record.name, { code: "SERVFAIL" });
  await nextDay(t, domain);
  const asked = () => dns.asked.filter((name) => name === domain.record.name).length;
  const before = asked();
  await runChecks(t);
  expect(asked()).toBe(before);
  await t.age("organization_domains", { id: domain.id }, { minutes: 11 });
  await runChecks(t);
  expect(asked()).toBe(before + 1);
});
