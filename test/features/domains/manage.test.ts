import { expect, test } from "bun:test";
import { add, DOMAINS, type Domain, newName, read, startWithDns, verified } from "../../support/domains.ts";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus, startService } from "../../support/service.ts";

const { t, dns } = await startWithDns({
  API_URL: "http://api.acme-host.com",
  APP_URL: "http://app.acme-host.com",
});
const off = await startService({ SSO: "off" }, { databaseUrl: t.databaseUrl });
const own = await createOrganization(t);

test("a domain is added with the record that proves it, listed by name and read", async () => {
  const org = await createOrganization(t);
  const second = await add(org, "zeta-corp.com");
  const first = await add(org, "alpha-corp.com");
  expect(first).toMatchObject({
    domain: "alpha-corp.com",
    status: "PENDING",
    record: { name: "_mos-verify.alpha-corp.com", type: "TXT" },
    connectionId: null,
    join: "off",
    joinAssignments: [],
    verifiedAt: null,
    checkedAt: null,
    missingSince: null,
  });
  expect(first.record.value).toMatch(/^mos-verify=[A-Za-z0-9_-]{43}$/);
  expect(second.record.value).not.toBe(first.record.value);
  expect(await read(org.admin, first)).toEqual(first);
  const { body } = expectStatus(await org.admin.get(DOMAINS), 200);
  expect(body).toMatchObject({ data: [first, second], total: 2, page: 1 });
});

test("a name becomes lower-case A-labels", async () => {
  for (const [given, name] of [
    ["ACME-Case.com", "acme-case.com"],
    ["Bücher-Acme.com", "xn--bcher-acme-9db.com"],
    ["sub.acme-case.com", "sub.acme-case.com"],
    ["acme-ts.test", "acme-ts.test"],
  ])
    expect((await add(own, given)).domain).toBe(name ?? "");
});

const NAMES = `
  com co.uk github.io gmail.com mail.gmail.com outlook.com
  localhost a.localhost a printer.local host.internal router.home.arpa
  ada@acme.com app.acme-host.com api.acme-host.com
  acme.com. .acme.com acme..com -acme.com acme-.com ac_me.com . ac%6de.com
  http://acme.com acme.com:80 acme.com/x acme.com?x
  127.0.0.1 127.1 [::1] 1.2
`;
const REFUSED = [
  ...NAMES.trim().split(/\s+/),
  ...["", " ", "ac me.com", "ac\u202eme.com", "ac\u200eme.com", "ac\u00adme.com"],
  ...[`${"a".repeat(64)}.com`, `${"a.".repeat(125)}comm`, "x".repeat(2_000)],
];

test("what no organization can prove is 400", async () => {
  for (const domain of REFUSED) {
    const { status, body } = await own.admin.post(DOMAINS, { domain });
    expect([domain, status, body.message]).toEqual([
      domain,
      400,
      "domain must be a domain of your organization",
    ]);
  }
  for (const domain of [null, 1, ["acme.com"]]) expectStatus(await own.admin.post(DOMAINS, { domain }), 400);
});

test("the same name again and a 21st domain are 409", async () => {
  const org = await createOrganization(t);
  const name = newName();
  await add(org, name);
  expect((await org.admin.post(DOMAINS, { domain: name.toUpperCase() })).body.code).toBe("CONFLICT");
  for (let count = 1; count < 20; count += 1) await add(org);
  const { status, body } = await org.admin.post(DOMAINS, { domain: newName() });
  expect([status, body.code, body.details]).toEqual([409, "CONFLICT", { max: 20 }]);
});

test("adding a name says nothing about other organizations that have it", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const taken = await verified(dns, org);
  const claimed = await add(other, taken.domain);
  const free = await add(other);
  const shapeOf = ({
    id: _,
    domain: __,
    record: ___,
    createdAt: ____,
    ...rest
  }: Domain & { createdAt?: string }) => rest;
  expect(shapeOf(claimed)).toEqual(shapeOf(free));
  expect(claimed.record.value).not.toBe(taken.record.value);
});

test("a domain of another organization is 404", async () => {
  const domain = await add(await createOrganization(t));
  const { admin } = own;
  expectStatus(await admin.get(`${DOMAINS}/${domain.id}`), 404);
  expectStatus(await admin.patch(`${DOMAINS}/${domain.id}`, { join: "off" }), 404);
  expectStatus(await admin.delete(`${DOMAINS}/${domain.id}`), 404);
  expectStatus(await admin.post(`${DOMAINS}/${domain.id}/verify`), 404);
});

test("a removed domain is gone, and its name gets a new record", async () => {
  const org = await createOrganization(t);
  const domain = await verified(dns, org);
  expectStatus(await org.admin.delete(`${DOMAINS}/${domain.id}`), 204);
  expectStatus(await org.admin.get(`${DOMAINS}/${domain.id}`), 404);
  expectStatus(await org.admin.delete(`${DOMAINS}/${domain.id}`), 404);
  const again = await add(org, domain.domain);
  expect(again.status).toBe("PENDING");
  expect(again.record.value).not.toBe(domain.record.value);
});

test("changes are audited above units, and an empty change writes nothing", async () => {
  const org = await createOrganization(t);
  const { id, domain } = await verified(dns, org);
  expectStatus(await org.admin.patch(`${DOMAINS}/${id}`, {}), 200);
  expectStatus(await org.admin.patch(`${DOMAINS}/${id}`, { join: "request" }), 200);
  expectStatus(await org.admin.patch(`${DOMAINS}/${id}`, { join: "request" }), 200);
  expectStatus(await org.admin.delete(`${DOMAINS}/${id}`), 204);
  const { body } = await org.admin.get(`/api/organization/audit-events?targetType=domain`);
  const about = { targetType: "domain", targetId: id, actorId: expect.any(String) };
  expect(body.data.toReversed()).toMatchObject([
    { ...about, action: "DOMAIN_ADDED", metadata: { domain } },
    { ...about, action: "DOMAIN_VERIFIED", metadata: { domain } },
    {
      ...about,
      action: "DOMAIN_UPDATED",
      metadata: { domain, from: { join: "off" }, to: { join: "request" } },
    },
    { ...about, action: "DOMAIN_REMOVED", metadata: { domain } },
  ]);
  const unit = await org.unit("Sales");
  const local = await org.member({ role: "UNIT_ADMIN", unit });
  expect((await local.get("/api/organization/audit-events?targetType=domain")).body.total).toBe(0);
});

test("a connection must exist, and an unverified domain does not open the organization", async () => {
  const org = await createOrganization(t);
  const { id } = await add(org);
  const path = `${DOMAINS}/${id}`;
  const { status, body } = await org.admin.patch(path, { connectionId: crypto.randomUUID() });
  expect([status, body.message]).toEqual([400, "connectionId must be an existing connection"]);
  expectStatus(await org.admin.patch(path, { connectionId: null }), 200);
  for (const join of ["request", "automatic"])
    expect((await org.admin.patch(path, { join })).body.code).toBe("DOMAIN_NOT_VERIFIED");
  expectStatus(await org.admin.patch(path, { join: "off", joinAssignments: [] }), 200);
});

test("platform administrators read and remove domains, and change nothing else", async () => {
  const org = await createOrganization(t);
  const { id } = await add(org);
  const admin = await t.platformAdmin();
  const named = { headers: { "x-organization-id": org.id } };
  expectStatus(await admin.get(DOMAINS, named), 200);
  expectStatus(await admin.get(`${DOMAINS}/${id}`, named), 200);
  const forbidden = [
    await admin.post(DOMAINS, { domain: newName() }, named),
    await admin.post(`${DOMAINS}/${id}/verify`, undefined, named),
    await admin.patch(`${DOMAINS}/${id}`, { join: "off" }, named),
  ];
  expect(forbidden.map(({ body }) => body.code)).toEqual(["FORBIDDEN", "FORBIDDEN", "FORBIDDEN"]);
  expectStatus(await admin.delete(`${DOMAINS}/${id}`, named), 204);
});

test("in a suspended organization a platform administrator may still remove a domain", async () => {
  const org = await createOrganization(t);
  const { id } = await add(org);
  const admin = await t.platformAdmin();
  const named = { headers: { "x-organization-id": org.id } };
  await t.sql("UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1", [org.id]);
  expect((await org.admin.post(DOMAINS, { domain: newName() })).body.code).toBe("ORGANIZATION_SUSPENDED");
  expect((await org.admin.post(`${DOMAINS}/${id}/verify`)).body.code).toBe("ORGANIZATION_SUSPENDED");
  expectStatus(await admin.delete(`${DOMAINS}/${id}`, named), 204);
});

test("the domains of a deleted organization are free", async () => {
  const org = await createOrganization(t);
  const { domain } = await verified(dns, org);
  const admin = await t.platformAdmin();
  expectStatus(await admin.delete(`/api/organizations/${org.id}`), 204);
  expect((await verified(dns, await createOrganization(t), domain)).status).toBe("VERIFIED");
});

test("with SSO=off every route is 404, also without a token", async () => {
  const org = await createOrganization(off);
  const id = crypto.randomUUID();
  for (const who of [org.admin, off.anonymous()]) {
    const responses = [
      await who.get(DOMAINS),
      await who.get(`${DOMAINS}/${id}`),
      await who.post(DOMAINS, { domain: "acme.com" }),
      await who.post(`${DOMAINS}/${id}/verify`),
      await who.patch(`${DOMAINS}/${id}`, {}),
      await who.delete(`${DOMAINS}/${id}`),
    ];
    expect(responses.map(({ status, body }) => [status, body.code])).toEqual(
      responses.map(() => [404, "NOT_FOUND"]),
    );
  }
});

test("a domain has a live connection of its organization", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const { id } = await add(org);
  const connect = async ({ id: organizationId }: { id: string }, isDeleted: boolean) =>
    (
      await t.sql<{ id: string }>(
        `INSERT INTO sso_connections (organization_id, name, issuer, client_id, claims, is_deleted)
         VALUES ($1, 'Acme', 'https://id.example.com', 'service', '{}', $2) RETURNING id`,
        [organizationId, isDeleted],
      )
    )[0]?.id ?? "";
  const live = await connect(org, false);
  const { body } = expectStatus(await org.admin.patch(`${DOMAINS}/${id}`, { connectionId: live }), 200);
  expect(body.connectionId).toBe(live);
  for (const connectionId of [await connect(org, true), await connect(other, false)])
    expectStatus(await org.admin.patch(`${DOMAINS}/${id}`, { connectionId }), 400);
  expectStatus(await org.admin.patch(`${DOMAINS}/${id}`, { connectionId: null }), 200);
});

test("a domain is not removed while the organization requires its own sign-in, or has announced it", async () => {
  const org = await createOrganization(t);
  const { id } = await add(org);
  const remove = () => org.admin.delete(`${DOMAINS}/${id}`);
  const policy = (scope: string, announced: string | null, from: string | null) =>
    t.sql(
      `INSERT INTO sign_on_policies (organization_id, scope, announced_scope, announced_two_factor, enforce_from)
       VALUES ($1, $2, $3::text, CASE WHEN $3::text IS NOT NULL THEN false END, now() + $4::interval)
       ON CONFLICT (organization_id) DO UPDATE SET scope = excluded.scope, announced_scope = excluded.announced_scope,
         announced_two_factor = excluded.announced_two_factor, enforce_from = excluded.enforce_from`,
      [org.id, scope, announced, from],
    );
  for (const [scope, announced, from] of [
    ["domains", null, null],
    ["off", "everyone", "1 day"],
    ["off", "domains", "-1 day"],
    ["domains", "off", "1 day"],
  ] as const) {
    await policy(scope, announced, from);
    expect([scope, announced, (await remove()).body.code]).toEqual([scope, announced, "CONFLICT"]);
  }
  await policy("domains", "off", "-1 day");
  expectStatus(await remove(), 204);
});
