import { expect, test } from "bun:test";
import { report } from "../../support/helpdesk.ts";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus, startService } from "../../support/service.ts";

const t = await startService();
const PLATFORM_OVERVIEW = "/api/platform/overview";

test("the figures of the platform overview equal those of the platform's lists (rules 31.3)", async () => {
  const admin = await t.platformAdmin();
  const org = await createOrganization(t);
  const old = await createOrganization(t, "Old");
  await t.age("organizations", { id: old.id }, { days: 40 });
  await t.sql(
    "INSERT INTO organization_subscriptions (organization_id, trial_ends_at) VALUES ($1, now() + interval '2 days') ON CONFLICT ON CONSTRAINT organization_subscriptions_organization_unique DO UPDATE SET trial_ends_at = excluded.trial_ends_at",
    [old.id],
  );
  await report(org.admin);
  expectStatus(await admin.patch(`/api/organizations/${org.id}/status`, { status: "SUSPENDED" }), 200);
  const { body } = expectStatus(await admin.get(PLATFORM_OVERVIEW), 200);
  const total = async (path: string) => (await admin.get(path)).body.total;
  const sum = (series: { count: number }[]) => series.reduce((all, { count }) => all + count, 0);
  expect(body.organizations).toMatchObject({ total: await total("/api/organizations"), suspended: 1 });
  expect(sum(body.organizations.created)).toBe(body.organizations.total - 1);
  expect(body.users.total).toBe(await total("/api/users"));
  expect(sum(body.users.created)).toBe(body.users.total);
  expect(body.tickets).toMatchObject({ total: 1, open: 1 });
  const { data } = (await admin.get("/api/organizations?pageSize=100")).body;
  for (const { key, organizations } of body.plans)
    expect(organizations).toBe(data.filter(({ plan }: { plan: { key: string } }) => plan.key === key).length);
  expect(body.trialsEnding).toEqual([
    { organization: { id: old.id, name: "Old" }, endsAt: expect.any(String) },
  ]);
  expectStatus(await old.admin.get(PLATFORM_OVERVIEW), 403);
});

test("every overview refuses a time zone that PostgreSQL does not know (rules 31.2)", async () => {
  const known = new Set(
    (await t.sql("SELECT lower(name) AS name FROM pg_timezone_names")).map(({ name }) => name),
  );
  const admin = await t.platformAdmin();
  const org = await createOrganization(t);
  const lists = [
    () => org.admin.get("/api/organization/overview?timeZone=US/Pacific-New"),
    () => org.admin.get("/api/organization/helpdesk/overview?timeZone=US/Pacific-New"),
    () => admin.get(`${PLATFORM_OVERVIEW}?timeZone=US/Pacific-New`),
  ];
  expect(known.has("us/pacific-new")).toBe(false);
  for (const list of lists)
    expect(expectStatus(await list(), 400).body.errors).toEqual([
      { path: "timeZone", message: "timeZone must be the IANA name of a time zone, such as Europe/Athens" },
    ]);
});
