import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";

import { keyed, newKey } from "../../support/idempotency.ts";
import {
  expire,
  invite,
  invited,
  inviteMany,
  listed,
  previewInvitation,
  rowOf,
  tokenFor,
} from "../../support/invitations.ts";
import { createMachine } from "../../support/machines.ts";
import { createOrganization } from "../../support/organizations.ts";
import { actingIn, eventsIn, messages, outcome } from "../../support/outcomes.ts";
import { eventsOf } from "../../support/outgoing-events.ts";
import { planFiles, setPlanOverride } from "../../support/plans.ts";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";

const planFile = planFiles();
const t = await startService({
  BILLING_PLANS_FILE: planFile({
    plans: [
      { key: "open", limits: {}, features: [], paid: false },
      { key: "three", limits: { members: 3 }, features: [], paid: false },
    ],
    defaultPlan: "open",
    trial: null,
  }),
});

type Result = {
  index: number;
  email: string;
  outcome: string;
  code: string | null;
  invitationId: string | null;
};
const resultsOf = async (caller: Caller, rows: object[], options = {}) =>
  expectStatus(await inviteMany(caller, rows, options), 200).body;
/** Returns the code of each row, or its outcome. */
const words = ({ rows }: { rows: Result[] }) => rows.map(({ code, outcome }) => code ?? outcome);
const withoutIds = (body: { rows: Result[] }) => ({
  ...body,
  rows: body.rows.map((row) => ({ ...row, invitationId: null })),
});

/** Creates an organization with a unit administrator, and rows that a single invitation accepts or refuses for every reason. */
async function world() {
  const org = await createOrganization(t);
  const [inside, outside] = [await org.unit("Inside"), await org.unit("Outside")];
  const strong = await org.role("Strong", "Members.Delete", "Audit.Read", "Roles.Create");
  const caller = await org.member({ role: "UNIT_ADMIN", unit: inside });
  const member = await org.member();
  const [held, expired, own] = [
    await invited(t, org.admin),
    await invited(t, org.admin),
    await invited(t, caller, { roles: [{ role: "MEMBER", unit: inside }] }),
  ];
  await expire(t, expired);
  const at = (unit: string | null, role = "MEMBER") => [{ role, unit }];
  const rows = [
    rowOf({ roles: at(inside) }),
    rowOf({ roles: at(crypto.randomUUID()) }),
    rowOf({ roles: at(inside, crypto.randomUUID()) }),
    rowOf({ roles: at(outside) }),
    rowOf({ roles: at(null) }),
    rowOf({ roles: at(inside, strong) }),
    rowOf({ email: member.email, roles: at(inside) }),
    rowOf({ email: held.email, roles: at(inside) }),
    rowOf({ email: expired.email, roles: at(inside) }),
    rowOf({ email: own.email, roles: at(inside) }),
    rowOf({ roles: at(inside) }),
  ];
  return { org, caller, rows, own };
}

test("each row gets the code that a single invitation gets, and a refused row stops none", async () => {
  const one = await world();
  const singly: string[] = [];
  for (const row of one.rows) {
    const { status, body } = await one.caller.post("/api/members/invitations", row);
    singly.push(status === 201 ? "created" : body.code);
  }
  const { caller, rows } = await world();
  const together = await resultsOf(caller, rows);
  expect(words(together).map((word) => (/^(invited|superseded)$/.test(word) ? "created" : word))).toEqual(
    singly,
  );
  expect(words(together)).toEqual([
    "invited",
    "VALIDATION_FAILED",
    "VALIDATION_FAILED",
    "UNIT_FORBIDDEN",
    "UNIT_FORBIDDEN",
    "PERMISSION_NOT_HELD",
    "ALREADY_MEMBER",
    "CONFLICT",
    "superseded",
    "superseded",
    "invited",
  ]);
  expect(together.rows.map(({ index }: Result) => index)).toEqual(rows.map((_, index) => index));
  expect(together.rows.map(({ email }: Result) => email)).toEqual(rows.map(({ email }) => email));
});

test("a dry run returns what the run returns, without ids, and writes and mails nothing", async () => {
  const { org, caller, rows, own } = await world();
  const counted = async () => [
    await t.sql("SELECT id, is_deleted FROM user_invitations WHERE organization_id = $1 ORDER BY id", [
      org.id,
    ]),
    await t.sql("SELECT count(*) FROM user_invitation_sends WHERE organization_id = $1", [org.id]),
    await t.sql("SELECT count(*) FROM audit_events WHERE organization_id = $1", [org.id]),
  ];
  const before = await counted();
  const key = keyed(newKey());
  const dry = await resultsOf(caller, rows, { dryRun: true, ...key });
  expect(await counted()).toEqual(before);
  for (const { email } of rows.slice(0, 1)) expect(await t.mailTo(email)).toEqual([]);
  expectStatus(await previewInvitation(t, own.token), 200);
  // The key of a dry run is free for the run.
  const run = await resultsOf(caller, rows, key);
  expect(withoutIds(run)).toEqual(dry);
  expect(run.rows.filter(({ invitationId }: Result) => invitationId !== null)).toHaveLength(4);
});

test("every invited row has its mail, audit event and change event, and its invitation is listed", async () => {
  const org = await createOrganization(t);
  const rows = [rowOf(), rowOf(), rowOf({ email: org.admin.email })];
  let results: Result[] = [];
  const events = await eventsOf(t, org.admin, async () => {
    results = (await resultsOf(org.admin, rows)).rows;
  });
  const ids = results.flatMap(({ invitationId }) => invitationId ?? []).sort();
  expect((await listed(org.admin)).data.map(({ id }) => id).sort()).toEqual(ids);
  for (const { email } of rows.slice(0, 2))
    expectStatus(await previewInvitation(t, await tokenFor(t, email)), 200);
  expect(await eventsIn(t, org, "USER_INVITED")).toHaveLength(2);
  const created = events.filter(({ type }) => type === "invitation.created");
  expect(created.map(({ data }) => data.object.id).sort()).toEqual(ids);
});

test("an address that stands in an earlier row is refused, in any notation, even if that row was refused", async () => {
  const org = await createOrganization(t);
  const email = uniqueEmail();
  const rows = [
    rowOf({ email }),
    rowOf({ email: ` ${email.toUpperCase()} ` }),
    rowOf({ email: org.admin.email }),
    rowOf({ email: org.admin.email }),
  ];
  expect(words(await resultsOf(org.admin, rows))).toEqual([
    "invited",
    "DUPLICATE",
    "ALREADY_MEMBER",
    "DUPLICATE",
  ]);
});

test("free seats go to the rows in their order; a row that replaces a valid invitation needs none", async () => {
  const [org, platform] = [await createOrganization(t), await t.platformAdmin()];
  await setPlanOverride(platform, org, "three");
  const [valid, expired] = [await invited(t, org.admin), await invited(t, org.admin)];
  await expire(t, expired);
  const rows = [rowOf({ email: valid.email }), rowOf(), rowOf(), rowOf({ email: expired.email })];
  const full = "PLAN_LIMIT_REACHED";
  const body = await resultsOf(org.admin, rows);
  expect(words(body)).toEqual(["superseded", "invited", full, full]);
  expect(body.seats).toEqual({ needed: 3, free: 1 });
  // The refused row has not ended the invitation that it would replace.
  const pending = (await listed(org.admin)).data.map(({ id }) => id);
  expect(pending).toHaveLength(3);
  expect(pending).toContain(expired.id);
  const beyond = await resultsOf(platform, [rowOf(), rowOf()], actingIn(org));
  expect([words(beyond), beyond.seats]).toEqual([["invited", "invited"], { needed: 2, free: null }]);
});

test("the whole form is validated first: one invalid row refuses the request", async () => {
  const org = await createOrganization(t);
  const rows = [rowOf(), rowOf(), rowOf(), { ...rowOf(), email: "nobody" }];
  const refused = expectStatus(await inviteMany(org.admin, rows), 400);
  expect(refused.body.errors.map(({ path }: { path: string }) => path)).toEqual(["rows.3.email"]);
  for (const wrong of [[], Array.from({ length: 201 }, () => rowOf())])
    expect(messages(expectStatus(await inviteMany(org.admin, wrong), 400))).toHaveLength(1);
  expect((await listed(org.admin)).total).toBe(0);
});

test("who may not invite may not invite many; a service account may", async () => {
  const org = await createOrganization(t);
  expect(outcome(await inviteMany(await org.member(), [rowOf()]))).toBe("403 FORBIDDEN");
  const { caller } = await createMachine(org, { role: "ORG_ADMIN" });
  const { rows } = await resultsOf(caller, [rowOf()]);
  expect(rows[0].outcome).toBe("invited");
  const platform = await t.platformAdmin();
  const suspend = { status: "SUSPENDED" };
  expectStatus(await platform.patch(`/api/organizations/${org.id}/status`, suspend), 200);
  expect(outcome(await inviteMany(org.admin, [rowOf()]))).toBe("400 ORGANIZATION_SUSPENDED");
  expect(outcome(await inviteMany(platform, [rowOf()], actingIn(org)))).toBe("400 ORGANIZATION_SUSPENDED");
});

test("an organization has ten requests a minute that invite many; replays do not count", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const [key, rows] = [keyed(newKey()), [rowOf()]];
  for (let count = 0; count < 3; count += 1) expectStatus(await inviteMany(org.admin, rows, key), 200);
  for (let count = 0; count < 9; count += 1)
    expectStatus(await inviteMany(org.admin, [rowOf()], { dryRun: count % 2 === 0 }), 200);
  const refused = await inviteMany(org.admin, [rowOf()]);
  expect([outcome(refused), Number(refused.headers.get("retry-after")) > 0]).toEqual([
    "429 TOO_MANY_REQUESTS",
    true,
  ]);
  expectStatus(await invite(org.admin), 201);
  expectStatus(await inviteMany(other.admin, [rowOf()]), 200);
});

test("200 rows with all outcomes fit into one request and its stored response", async () => {
  const org = await createOrganization(t);
  const unknown = Array.from({ length: 9 }, () => ({ role: crypto.randomUUID() }));
  const long = `${"a".repeat(60)}@${"b".repeat(60)}.test`;
  const rows = Array.from({ length: 200 }, (_, index) =>
    index < 80 ? rowOf({ email: `${index}${long}`, roles: unknown }) : rowOf(),
  );
  const key = keyed(newKey());
  const first = expectStatus(await inviteMany(org.admin, rows, key), 200);
  expect(JSON.stringify(first.body).length).toBeGreaterThan(65_536);
  const again = expectStatus(await inviteMany(org.admin, rows, key), 200);
  expect([again.headers.get("idempotent-replayed"), again.body]).toEqual(["true", first.body]);
  expect((await listed(org.admin)).total).toBe(120);
});
