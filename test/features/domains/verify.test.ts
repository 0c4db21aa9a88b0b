import { expect, test } from "bun:test";
import { setupLink } from "../../support/connections.ts";
import {
  add,
  newName,
  publish,
  read,
  runChecks,
  startWithDns,
  verified,
  verify,
} from "../../support/domains.ts";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus } from "../../support/service.ts";

const { t, dns } = await startWithDns();

test("a record that is present verifies the domain, whatever else is there", async () => {
  const org = await createOrganization(t);
  for (const change of [
    (value: string) => ({ records: [[value]] }),
    (value: string) => ({ records: [["other"], [value.slice(0, 20), value.slice(20)], ["more"]] }),
    (value: string) => ({ records: [[value]], alias: "verify.example.net" }),
  ]) {
    const domain = await add(org);
    dns.answers.set(domain.record.name, change(domain.record.value));
    const { body } = expectStatus(await verify(org.admin, domain), 200);
    expect(body).toMatchObject({ status: "VERIFIED", missingSince: null, record: domain.record });
    expect(body.verifiedAt).not.toBeNull();
    expect(body.checkedAt).not.toBeNull();
  }
});

test("a record that is absent or differs is 409 with what was found, and proves nothing", async () => {
  const org = await createOrganization(t);
  const domain = await add(org);
  const { name, value } = domain.record;
  const long = `x${"y".repeat(200)}`;
  for (const [values, found] of [
    [[], []],
    [["mos-verify=other"], ["mos-verify=other"]],
    [[value.toUpperCase()], [value.toUpperCase()]],
    [[value.slice(0, -1)], [value.slice(0, -1)]],
    [
      [long, "2", "3", "4", "5", "6"],
      [long.slice(0, 100), "2", "3", "4", "5"],
    ],
  ] as const) {
    dns.publish(name, ...values);
    const { status, body } = await verify(org.admin, domain);
    expect([status, body.code, body.details]).toEqual([
      409,
      "DOMAIN_NOT_VERIFIED",
      { reason: "absent", found: [...found] },
    ]);
  }
  expect(await read(org.admin, domain)).toEqual({ ...domain, checkedAt: expect.any(String) });
});

test("an absent answer to a member counts like one to the job: the record of a verified domain is missing", async () => {
  const org = await createOrganization(t);
  const domain = await verified(dns, org);
  dns.publish(domain.record.name);
  expect((await verify(org.admin, domain)).body.code).toBe("DOMAIN_NOT_VERIFIED");
  const { missingSince, checkedAt, status } = await read(org.admin, domain);
  expect([status, missingSince === checkedAt]).toEqual(["VERIFIED", true]);
  await t.age("organization_domains", { id: domain.id }, { days: 15 });
  await t.sql("UPDATE organization_domains SET absent_count = 9 WHERE id = $1", [domain.id]);
  const { setter } = await setupLink(t, org, "domains");
  expect((await verify(setter, domain)).body.code).toBe("DOMAIN_NOT_VERIFIED");
  expect((await read(org.admin, domain)).status).toBe("LAPSED");
  publish(dns, domain);
  expect(expectStatus(await verify(org.admin, domain), 200).body).toMatchObject({
    ...{ status: "VERIFIED", missingSince: null },
  });
});

test("a server that does not answer is 409 unanswered, and changes nothing", async () => {
  const org = await createOrganization(t);
  const domain = await verified(dns, org);
  for (const answer of [{ code: "SERVFAIL" }, { code: "REFUSED" }] as const) {
    dns.answers.set(domain.record.name, answer);
    const { status, body } = await verify(org.admin, domain);
    expect([status, body.details]).toEqual([409, { reason: "unanswered", found: [] }]);
  }
  expect(await read(org.admin, domain)).toEqual(domain);
});

test("only who proves the name learns that another organization has it", async () => {
  const [first, second] = [await createOrganization(t), await createOrganization(t)];
  const taken = await verified(dns, first);
  const claimed = await add(second, taken.domain);
  expect((await verify(second.admin, claimed)).body.code).toBe("DOMAIN_NOT_VERIFIED");
  dns.publish(claimed.record.name, taken.record.value, claimed.record.value);
  expect((await verify(second.admin, claimed)).body).toMatchObject({ statusCode: 409, code: "DOMAIN_TAKEN" });
  await runChecks(t);
  expect((await read(second.admin, claimed)).status).toBe("PENDING");
  expect((await read(first.admin, taken)).status).toBe("VERIFIED");
});

test("a sub-domain and its parent prove nothing for each other", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const parent = await verified(dns, org);
  const below = await add(other, `eu.${parent.domain}`);
  dns.publish(below.record.name, parent.record.value);
  expect((await verify(other.admin, below)).body.code).toBe("DOMAIN_NOT_VERIFIED");
  publish(dns, below);
  expectStatus(await verify(other.admin, below), 200);
});

test("checks are limited to ten an hour for an organization", async () => {
  const org = await createOrganization(t);
  const domain = await add(org);
  for (let count = 0; count < 10; count += 1) expectStatus(await verify(org.admin, domain), 409);
  expectStatus(await verify(org.admin, domain), 429);
  const other = await createOrganization(t);
  expectStatus(await verify(other.admin, await add(other)), 409);
});

test("the job verifies a new domain by itself, with an event without an actor", async () => {
  const org = await createOrganization(t);
  const domain = await add(org, newName());
  publish(dns, domain);
  await runChecks(t);
  expect((await read(org.admin, domain)).status).toBe("VERIFIED");
  const { body } = await org.admin.get("/api/organization/audit-events?action=DOMAIN_VERIFIED");
  expect(body.data).toMatchObject([
    { actorId: null, targetId: domain.id, metadata: { domain: domain.domain } },
  ]);
});

test("new domains are asked every ten minutes for a week, verified ones daily", async () => {
  const org = await createOrganization(t);
  const [fresh, proven] = [await add(org), await verified(dns, org)];
  const asked = () =>
    [fresh, proven].map(({ record }) => dns.asked.filter((one) => one === record.name).length);
  const [, before = 0] = asked();
  await runChecks(t);
  await runChecks(t);
  expect(asked()).toEqual([1, before]);
  await t.age("organization_domains", {}, { minutes: 11 });
  await runChecks(t);
  expect(asked()).toEqual([2, before]);
  await t.age("organization_domains", {}, { days: 1 });
  await runChecks(t);
  await runChecks(t);
  expect(asked()).toEqual([3, before + 1]);
  await t.age("organization_domains", {}, { days: 7 });
  await runChecks(t);
  expect(asked()).toEqual([3, before + 2]);
});
