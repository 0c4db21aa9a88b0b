import { expect, test } from "bun:test";
import { ALL_EVENTS, allEvents, EVENTS } from "../../support/audit.ts";
import { createOrganization } from "../../support/organizations.ts";
import { actingIn, messages, outcome } from "../../support/outcomes.ts";
import { PLANS, planFiles, setPlanOverride, storeSubscription } from "../../support/plans.ts";
import { startService } from "../../support/service.ts";

/* Who may read the audit log of which organizations, and which list parameters are invalid. */

const t = await startService({ BILLING_PLANS_FILE: planFiles()(PLANS) });
const everywhere = { path: ALL_EVENTS };

test("without the plan feature `audit`, only platform administrators can read the organization's audit log", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("One");
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit });
  const admin = await t.platformAdmin();
  await storeSubscription(t, org, { trial_ends_at: null });
  for (const path of [EVENTS, `${EVENTS}/export`]) {
    for (const caller of [org.admin, unitAdmin])
      expect(outcome(await caller.get(path))).toBe("403 PLAN_FEATURE_REQUIRED");
    expect(outcome(await admin.get(path, actingIn(org)))).toBe("200");
  }
  await setPlanOverride(admin, org, "gift");
  for (const caller of [org.admin, unitAdmin]) expect(outcome(await caller.get(EVENTS))).toBe("200");
});

test("reading the organization's audit log needs `Audit.Read`", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("One");
  const auditor = await org.role("Auditor", "Audit.Read");
  const rest = await org.role("Rest", "Organization.Read", "Members.Read", "Units.Read", "Roles.Read");
  for (const [role, place, expected] of [
    [auditor, null, "200"],
    [auditor, unit, "200"],
    [rest, null, "403 FORBIDDEN"],
    [rest, unit, "403 FORBIDDEN"],
  ] as const) {
    const person = await org.member({ role, unit: place });
    for (const path of [EVENTS, `${EVENTS}/export`]) expect(outcome(await person.get(path))).toBe(expected);
    expect(outcome(await person.get(ALL_EVENTS))).toBe("403 PLATFORM_ADMIN_REQUIRED");
  }
});

test("a platform administrator must name one organization to list its events; the platform-wide list combines header and filters", async () => {
  const [one, other] = [await createOrganization(t), await createOrganization(t)];
  const admin = await t.platformAdmin();
  const ask = async (path: string, ids: string[]) =>
    outcome(await admin.get(path, { headers: { "x-organization-id": ids.join(",") } }));
  for (const path of [EVENTS, `${EVENTS}/export`]) {
    expect(await ask(path, [])).toBe("400 ORGANIZATION_REQUIRED");
    expect(await ask(path, [one.id, other.id])).toBe("400 ORGANIZATION_REQUIRED");
    expect(await ask(path, [crypto.randomUUID()])).toBe("404 NOT_FOUND");
    expect(await ask(path, ["one"])).toBe("400 VALIDATION_FAILED");
    expect(await ask(path, [one.id])).toBe("200");
    const override = outcome(await one.admin.get(path, actingIn(one)));
    expect(override).toBe("403 ORGANIZATION_OVERRIDE_FORBIDDEN");
  }
  await t.sql("UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1", [one.id]);
  expect(await ask(EVENTS, [one.id])).toBe("200");

  const narrowed = async (ids: string[], query: string) => {
    const headers = { "x-organization-id": ids.join(",") };
    const events = await allEvents(admin, query, { ...everywhere, ...(ids.length > 0 && { headers }) });
    return [...new Set(events.map(({ organizationId }) => organizationId))].sort();
  };
  const both = [one.id, other.id].sort();
  const filter = (...ids: string[]) => ids.map((id) => `organization=${id}`).join("&");
  expect(await narrowed([one.id], "")).toEqual([one.id]);
  expect(await narrowed(both, "")).toEqual(both);
  expect(await narrowed([], filter(...both))).toEqual(both);
  expect(await narrowed(both, filter(one.id))).toEqual([one.id]);
  expect(await narrowed([one.id], filter(other.id))).toEqual([]);
  expect(await narrowed([crypto.randomUUID()], "")).toEqual([]);
  expect(await narrowed([one.id, crypto.randomUUID()], "")).toEqual([one.id]);
});

test("invalid parameters of the audit list are 400 with a message for each", async () => {
  const org = await createOrganization(t);
  const admin = await t.platformAdmin();
  const id = crypto.randomUUID();
  const ids = (name: string) => Array.from({ length: 51 }, () => `${name}=${crypto.randomUUID()}`).join("&");
  const cases: [string, string | RegExp][] = [
    ["colour=red", "property colour should not exist"],
    ["sort=action", /^sort must be one of/],
    ["order=up", /^order must be one of/],
    ["targetType=todo", /^targetType must be one of/],
    ["targetId=1", "targetId must be a UUID"],
    ["actorId=me", "actorId must be a UUID"],
    ["action=", "action should not be empty"],
    [`search=${"a".repeat(201)}`, /^search must be shorter/],
    ["search=a&search=b", /^search /],
    ["action=A&action=B", /^action /],
    [`actorId=${id}&actorId=${id}`, /^actorId /],
    ["unit=1", /^unit.* must be a UUID/],
    ["member=1", /^member.* must be a UUID/],
    [ids("unit"), "unit must contain no more than 50 elements"],
    [ids("member"), "member must contain no more than 50 elements"],
    ["page=0", "page must not be less than 1"],
    ["pageSize=101", "pageSize must not be greater than 100"],
  ];
  for (const [query, message] of cases)
    for (const response of [
      await org.admin.get(`${EVENTS}?${query}`),
      await admin.get(`${ALL_EVENTS}?${query}`),
    ]) {
      expect([query, outcome(response)]).toEqual([query, "400 VALIDATION_FAILED"]);
      expect(messages(response)).toEqual([
        typeof message === "string" ? message : expect.stringMatching(message),
      ]);
    }
  expect(messages(await org.admin.get(`${EVENTS}?organization=${org.id}`))).toEqual([
    "property organization should not exist",
  ]);
});
