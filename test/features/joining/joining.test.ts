import { expect, test } from "bun:test";
import type { ApiResponse, Caller } from "../../support/caller.ts";
import { claims } from "../../support/claims.ts";
import { acceptAs, invited } from "../../support/invitations.ts";
import { holdOrganizationLock, inLine } from "../../support/locks.ts";
import { type Organization, roleId } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { planFiles, setPlanOverride } from "../../support/plans.ts";
import { race } from "../../support/race.ts";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";
import { confine, insertConnection, SIGN_ON, setPolicy } from "../../support/sign-on.ts";
import { openOrganization, personOf } from "../../support/sso.ts";

const plan = (key: string, limits: object) => ({ key, limits, features: ["sso"], paid: false });
const plans = [plan("open", {}), plan("two", { members: 2 })];
const t = await startService({
  ...SIGN_ON,
  BILLING_PLANS_FILE: planFiles()({ plans, defaultPlan: "open", trial: null }),
});
const near = await t.beside();
const LIST = "/api/auth/joinable-organizations";
const REQUESTS = "/api/members/join-requests";
const joinPath = ({ id }: Organization) => `/api/auth/organizations/${id}/join`;

const listed = async (person: Caller) => expectStatus(await person.get(LIST), 200).body;
const requests = async ({ admin }: Organization) => expectStatus(await admin.get(REQUESTS), 200).body;

test("an organization is joinable by exactly its verified domain, while it is open by it", async () => {
  const { organization, domain } = await openOrganization(t);
  const person = await personOf(t, { domain });
  expect(await listed(person)).toEqual([
    { id: organization.id, name: "Acme", mode: "request", requestedAt: null },
  ]);
  for (const other of [await personOf(t, { domain: `sub.${domain}` }), await t.person()]) {
    expect(await listed(other)).toEqual([]);
    expectStatus(await other.post(joinPath(organization)), 404);
  }
  const unknown = await person.post(`/api/auth/organizations/${crypto.randomUUID()}/join`);
  const foreign = await (await t.person()).post(joinPath(organization));
  expect([unknown.status, unknown.body.code]).toEqual([foreign.status, foreign.body.code]);
  for (const change of ["status = 'LAPSED'", "status = 'VERIFIED', join_mode = 'off'"]) {
    await t.sql(`UPDATE organization_domains SET ${change} WHERE domain = $1`, [domain]);
    expect(await listed(person)).toEqual([]);
    expectStatus(await person.post(joinPath(organization)), 404);
  }
});

test("a request is told once, decided by who holds its roles, and makes a member", async () => {
  const { organization, domain } = await openOrganization(t);
  const [person, other] = [await personOf(t, { domain }), await personOf(t, { domain })];
  expect(expectStatus(await person.post(joinPath(organization)), 202).body).toEqual({ status: "requested" });
  expectStatus(await person.post(joinPath(organization)), 202);
  expectStatus(await other.post(joinPath(organization)), 202);
  const { total, data } = await requests(organization);
  expect(total).toBe(2);
  expect(await listed(person)).toMatchObject([{ requestedAt: expect.any(String) }]);
  const told = await t.sql("SELECT data FROM notifications WHERE user_id = $1 AND type = 'JOIN_REQUESTED'", [
    idOf(organization.admin),
  ]);
  expect(told).toEqual([{ data: { organizationId: organization.id, count: 1 } }]);

  const mine = data.find(({ user }: { user: { id: string } }) => user.id === idOf(person));
  const approved = await organization.admin.post(`${REQUESTS}/${mine.id}/approve`, {});
  expect(expectStatus(approved, 200).body).toMatchObject({ userId: idOf(person) });
  expectStatus(await organization.admin.post(`${REQUESTS}/${mine.id}/approve`, {}), 404);
  expectStatus(await person.post(joinPath(organization)), 409);
  await person.refresh();
  expect(claims(person)).toMatchObject({ organization: { id: organization.id }, roles: ["MEMBER"] });

  const role = await organization.role("Inviter", "Invitations.Create");
  const inviter = await organization.member({ role });
  const theirs = data.find(({ user }: { user: { id: string } }) => user.id === idOf(other));
  const admins = { assignments: [{ roleId: roleId("ORG_ADMIN"), unitId: null }] };
  expect((await inviter.post(`${REQUESTS}/${theirs.id}/approve`, admins)).body.code).toBe(
    "PERMISSION_NOT_HELD",
  );
  expectStatus(await inviter.post(`${REQUESTS}/${theirs.id}/deny`), 204);
  expect(await listed(other)).toEqual([]);
  expectStatus(await other.post(joinPath(organization)), 404);
  await t.sql("UPDATE join_requests SET decided_at = now() - interval '91 days' WHERE id = $1", [theirs.id]);
  expectStatus(await other.post(joinPath(organization)), 202);
});

test("a request ends by withdrawal, another address, the domain and time, and can be made anew", async () => {
  const { organization, domain } = await openOrganization(t);
  const person = await personOf(t, { domain });
  const ask = async () => expectStatus(await person.post(joinPath(organization)), 202);
  await ask();
  expectStatus(await person.delete(joinPath(organization)), 204);
  expectStatus(await person.delete(joinPath(organization)), 204);
  expect((await requests(organization)).total).toBe(0);
  await ask();
  await t.sql("UPDATE join_requests SET expires_at = now() WHERE user_id = $1", [idOf(person)]);
  expect((await requests(organization)).total).toBe(0);
  await ask();
  const [{ id }] = (await requests(organization)).data;
  await t.sql("UPDATE users SET email = $2 WHERE id = $1", [
    idOf(person),
    `else-${crypto.randomUUID()}@example.com`,
  ]);
  expect((await requests(organization)).total).toBe(0);
  expectStatus(await organization.admin.post(`${REQUESTS}/${id}/approve`, {}), 404);
});

test("an organization has at most 1,000 open requests; whoever has one asks again", async () => {
  const { organization, domain } = await openOrganization(t);
  const [asked, other] = [await personOf(t, { domain }), await personOf(t, { domain })];
  expectStatus(await asked.post(joinPath(organization)), 202);
  await t.sql(
    `WITH made AS (
       INSERT INTO users (email, first_name, last_name, language, email_verified_at)
       SELECT format('p-%s-%s', n, $2::text), 'Ada', 'Lovelace', 'EN', now() FROM generate_series(1, 999) n RETURNING id, email)
     INSERT INTO join_requests (organization_id, user_id, domain, email) SELECT $1, id, $2, email FROM made`,
    [organization.id, `x@${domain}`],
  );
  const refused = await other.post(joinPath(organization));
  expect([refused.status, refused.body.code]).toEqual([409, "CONFLICT"]);
  expectStatus(await asked.post(joinPath(organization)), 202);
  expectStatus(await asked.delete(joinPath(organization)), 204);
  expectStatus(await other.post(joinPath(organization)), 202);
});

test("open requests end when the domain lapses, is closed or removed, and with the account", async () => {
  const ENDS: Record<
    string,
    (domainId: string, organization: Organization, person: Caller) => Promise<unknown>
  > = {
    lapse: (id) => t.sql("UPDATE organization_domains SET status = 'LAPSED' WHERE id = $1", [id]),
    close: (id, { admin }) => admin.patch(`/api/organization/domains/${id}`, { join: "off" }),
    remove: (id, { admin }) => admin.delete(`/api/organization/domains/${id}`),
    account: (_, __, person) => person.post("/api/profile/delete", { password: person.account.password }),
  };
  for (const [what, end] of Object.entries(ENDS)) {
    const { organization, domain, domainId } = await openOrganization(t);
    const person = await personOf(t, { domain });
    expectStatus(await person.post(joinPath(organization)), 202);
    const [{ id }] = (await requests(organization)).data;
    await end(domainId, organization, person);
    expect([what, (await requests(organization)).total]).toEqual([what, 0]);
    for (const decision of ["approve", "deny"])
      expect([what, (await organization.admin.post(`${REQUESTS}/${id}/${decision}`, {})).status]).toEqual([
        what,
        404,
      ]);
  }
});

test("with automatic joining a person becomes a member at once, with the roles of the domain", async () => {
  const { organization, domain, domainId } = await openOrganization(t, "automatic");
  const unit = await organization.unit("Sales");
  const reader = await organization.role("Reader", "Todos.ReadAny");
  await t.sql(
    "INSERT INTO organization_domain_assignments (domain_id, organization_id, role_id, unit_id) VALUES ($1, $2, $3, $4)",
    [domainId, organization.id, reader, unit],
  );
  const person = await personOf(t, { domain });
  expect(expectStatus(await person.post(joinPath(organization)), 201).body).toEqual({ status: "member" });
  const { body } = await organization.admin.get(`/api/members/${idOf(person)}`);
  expect(body).toMatchObject({
    assignments: [{ role: { id: reader }, unit: { id: unit }, source: "manual" }],
    units: [{ id: unit }],
  });
  const [event] = await t.sql(
    "SELECT actor_id, metadata FROM audit_events WHERE action = 'USER_JOINED' AND target_id = $1",
    [idOf(person)],
  );
  expect(event).toMatchObject({
    actor_id: idOf(person),
    metadata: { via: "domain", domain, roles: ["Reader"] },
  });
});

test("automatic joining is a request for whoever was removed, without a free seat, and for a role that has grown", async () => {
  const { organization, domain, domainId } = await openOrganization(t, "automatic");
  const removed = await personOf(t, { domain });
  expectStatus(await removed.post(joinPath(organization)), 201);
  expectStatus(await organization.admin.delete(`/api/members/${idOf(removed)}`), 204);
  expectStatus(await removed.post(joinPath(organization)), 202);
  const left = await personOf(t, { domain });
  expectStatus(await left.post(joinPath(organization)), 201);
  await left.refresh();
  expectStatus(await left.post("/api/organization/leave"), 204);
  await left.refresh();
  expectStatus(await left.post(joinPath(organization)), 201);

  const grown = await organization.role("Grown", "Todos.ReadAny");
  await t.sql(
    "INSERT INTO organization_domain_assignments (domain_id, organization_id, role_id) VALUES ($1, $2, $3)",
    [domainId, organization.id, grown],
  );
  const grow = { permissions: ["Todos.ReadAny", "Members.Delete"] };
  expectStatus(await organization.admin.patch(`/api/roles/${grown}`, grow), 200);
  expectStatus(await (await personOf(t, { domain })).post(joinPath(organization)), 202);
});

test("a pending invitation to the address is accepted, whatever the mode", async () => {
  const { organization, domain } = await openOrganization(t);
  const person = await personOf(t, { domain });
  await invited(t, organization.admin, { email: person.email, roles: [{ role: "ORG_ADMIN" }] });
  expectStatus(await person.post(joinPath(organization)), 201);
  await person.refresh();
  expect(claims(person).roles).toEqual(["ORG_ADMIN"]);
});

test("whoever would be bound to single sign-on, a confined session and platform administrators do not join", async () => {
  const { organization, domain } = await openOrganization(t, "automatic");
  const connectionId = await insertConnection(t, organization);
  await setPolicy(t, organization, { scope: "domains" });
  const person = await personOf(t, { domain });
  const refused = await person.post(joinPath(organization));
  expect(refused.body).toMatchObject({ code: "SSO_REQUIRED", details: { connectionId } });
  await confine(t, person, connectionId);
  await person.refresh();
  expect(await listed(person)).toEqual([]);
  expect((await person.post(joinPath(organization))).body.code).toBe("REAUTHENTICATION_REQUIRED");
  expect((await (await t.platformAdmin()).post(joinPath(organization))).body.code).toBe("FORBIDDEN");
});

test("two joins at once make one member", async () => {
  const { organization, domain } = await openOrganization(t, "automatic");
  const person = await personOf(t, { domain });
  const lock = await holdOrganizationLock(t, organization.id);
  const answers = await inLine(
    lock,
    () => person.post(joinPath(organization)),
    () => person.post(joinPath(organization)),
  );
  expect(answers.map(({ status }) => status)).toEqual([201, 409]);
});

// Fails without the lock of the organization, or if a seat is counted before it.
test("of ten automatic joins at the last seat one is a member, and nine are requests", async () => {
  const { organization, domain } = await openOrganization(t, "automatic");
  await setPlanOverride(await t.platformAdmin(), organization, "two");
  const people = await race(10, () => personOf(t, { domain }));
  const joins = await race(10, (index) => {
    const person = people[index] as Caller;
    return (index % 2 ? person : person.at(near.url)).post(joinPath(organization));
  });
  expect(joins.map(({ body }) => body.status).sort()).toEqual(["member", ...Array(9).fill("requested")]);
  expect((await requests(organization)).total).toBe(9);
});

// Fails if the invitation or the membership is looked up before the lock.
test("joining against the acceptance of an invitation: one membership, the later one is refused", async () => {
  for (const isJoinFirst of [true, false]) {
    const { organization, domain } = await openOrganization(t, "automatic");
    const person = await personOf(t, { domain });
    const { email } = person;
    const roles = [{ role: "UNIT_ADMIN" }];
    const { token } = await invited(t, organization.admin, { email, roles });
    const join = () => person.at(near.url).post(joinPath(organization));
    const accept = () => acceptAs(person, token);
    const lock = await holdOrganizationLock(t, organization.id);
    const answers = await inLine(lock, ...(isJoinFirst ? [join, accept] : [accept, join]));
    expect(answers.map(({ status, body }: ApiResponse) => body?.code ?? status)).toEqual(
      isJoinFirst ? [201, "INVALID_OR_EXPIRED_TOKEN"] : [204, "ALREADY_MEMBER"],
    );
    const { body } = await organization.admin.get(`/api/members/${idOf(person)}`);
    expect(body.assignments.map((one: { role: { name: string } }) => one.role.name)).toEqual(["UNIT_ADMIN"]);
  }
});

test("of approval, denial and withdrawal at once, the first wins", async () => {
  for (const order of [
    ["approve", "deny", "withdraw"],
    ["deny", "approve", "withdraw"],
    ["withdraw", "approve", "deny"],
  ]) {
    const { organization, domain } = await openOrganization(t);
    const person = await personOf(t, { domain });
    expectStatus(await person.post(joinPath(organization)), 202);
    const [{ id }] = (await requests(organization)).data;
    const calls: Record<string, () => ReturnType<Caller["post"]>> = {
      approve: () => organization.admin.post(`${REQUESTS}/${id}/approve`, {}),
      deny: () => organization.admin.post(`${REQUESTS}/${id}/deny`),
      withdraw: () => person.delete(joinPath(organization)),
    };
    const lock = await holdOrganizationLock(t, organization.id);
    const answers = await inLine(
      lock,
      ...order.map((what) => calls[what] as () => ReturnType<Caller["post"]>),
    );
    const codes = Object.fromEntries(order.map((what, index) => [what, answers[index]?.status]));
    expect(codes).toEqual({
      approve: order[0] === "approve" ? 200 : 404,
      deny: order[0] === "deny" ? 204 : 404,
      withdraw: 204,
    });
  }
});

test("a request stays ended after the membership and the other address that ended it", async () => {
  const { organization, domain } = await openOrganization(t);
  const [member, moved] = [await personOf(t, { domain }), await personOf(t, { domain })];
  for (const person of [member, moved]) expectStatus(await person.post(joinPath(organization)), 202);
  const { token } = await invited(t, organization.admin, { email: member.email });
  expectStatus(await acceptAs(member, token), 204);
  expectStatus(await organization.admin.delete(`/api/members/${idOf(member)}`), 204);

  const before = moved.email;
  const after = uniqueEmail();
  expectStatus(await moved.post("/api/profile/email", { email: after }), 202);
  for (const address of [before, after]) {
    const { token } = await t.linkTo(address, "/confirm-email-change");
    expectStatus(await moved.post("/api/auth/confirm-email-change", { token }), 200);
  }
  const undo = await t.linkTo(before, "/undo-email-change");
  expectStatus(await t.anonymous().post("/api/auth/undo-email-change", { token: undo.token }), 204);
  expect((await requests(organization)).data).toEqual([]);
});
