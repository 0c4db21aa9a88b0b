import { expect, test } from "bun:test";
import {
  addConnection,
  CONNECTIONS,
  connectionTo,
  enabledConnection,
  SETUP_LINKS,
  setupLink,
  startProvider,
} from "../../support/connections.ts";
import { DOMAINS, newName } from "../../support/domains.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { definitions } from "../../support/routes.ts";
import { expectStatus, sharedService, uniqueEmail } from "../../support/service.ts";
import { setStatus } from "../../support/sign-on.ts";

const t = await sharedService();
const provider = await startProvider();
const SETUP = "/api/auth/sign-on-setup";

test("a setup link is mailed to its address alone, and shows what to set up", async () => {
  const org = await createOrganization(t);
  const { id, email, setter } = await setupLink(t, org, "connection", "domains");
  expect(setter.accessToken).toMatch(/^setup_[A-Za-z0-9_-]{43}$/);
  const setup = async () => expectStatus(await setter.get(SETUP), 200).body;
  expect(await setup()).toMatchObject({
    organization: { name: "Acme" },
    email,
    what: ["domains", "connection"],
    domainLabel: "mos-verify",
    redirectUri: null,
  });
  const connection = expectStatus(await setter.post(CONNECTIONS, connectionTo(provider)), 201).body;
  expect((await setup()).redirectUri).toBe(connection.redirectUri);
  const list = expectStatus(await org.admin.get(SETUP_LINKS), 200).body;
  expect(list).toMatchObject({
    total: 1,
    data: [{ id, email, status: "OPEN", createdBy: { email: org.admin.email }, finishedAt: null }],
  });
  expect(JSON.stringify(list)).not.toContain("setup_");
});

test("a setup link calls the operations of the document that are marked for its part, and no other", async () => {
  const org = await createOrganization(t);
  const { setter } = await setupLink(t, org, "domains");
  const { paths } = (await t.anonymous().get("/api/docs-json")).body;
  for (const { operationId, method, path, access } of definitions) {
    // Finishing ends the link; it is tested below.
    if (access === "public" || operationId === "finishSignOnSetup") continue;
    const part = paths[path]?.[method]?.["x-setup"];
    const { status } = await setter.send(
      method.toUpperCase(),
      path.replaceAll(/\{\w+\}/g, crypto.randomUUID()),
      method === "get" ? undefined : { odd: true },
    );
    expect([operationId, status === 401]).toEqual([operationId, part !== "domains" && part !== "any"]);
  }
}, 60_000);

test("a link for domains adds and lists domains, without who may join; one for connections does not", async () => {
  const org = await createOrganization(t);
  const [domains, connections] = [await setupLink(t, org, "domains"), await setupLink(t, org, "connection")];
  const domain = newName();
  const added = expectStatus(await domains.setter.post(DOMAINS, { domain }), 201).body;
  expect(added).toMatchObject({ domain, status: "PENDING", join: null, joinAssignments: null });
  expect(expectStatus(await domains.setter.get(DOMAINS), 200).body.data).toEqual([added]);
  expectStatus(await domains.setter.patch(`${DOMAINS}/${added.id}`, { join: "off" }), 401);
  expectStatus(await domains.setter.delete(`${DOMAINS}/${added.id}`), 401);
  expectStatus(await connections.setter.get(DOMAINS), 401);
  expectStatus(await domains.setter.get(CONNECTIONS), 401);
  const { data } = expectStatus(
    await org.admin.get("/api/organization/audit-events?action=DOMAIN_ADDED"),
    200,
  ).body;
  expect(data[0]).toMatchObject({
    actor: null,
    metadata: { domain, setupLinkId: domains.id, setupEmail: domains.email },
  });
});

test("a link for a connection makes and changes drafts alone: no roles, no status, nothing else of it", async () => {
  const org = await createOrganization(t);
  const enabled = await enabledConnection(t, org, provider);
  const { setter } = await setupLink(t, org, "connection");
  const { id } = expectStatus(await setter.post(CONNECTIONS, connectionTo(provider)), 201).body;
  for (const more of [{ provisioning: "jit" }, { defaultAssignments: [] }, { secondFactor: "trusted" }]) {
    expect((await setter.post(CONNECTIONS, connectionTo(provider, more))).body.code).toBe("FORBIDDEN");
    expect((await setter.patch(`${CONNECTIONS}/${id}`, more)).body.code).toBe("FORBIDDEN");
  }
  expect((await setter.patch(`${CONNECTIONS}/${id}`, { status: "ENABLED" })).body.code).toBe("FORBIDDEN");
  const changed = expectStatus(
    await setter.patch(`${CONNECTIONS}/${id}`, {
      name: "Ours",
      oidc: { clientId: "x" },
      claims: { subject: "oid" },
      version: 1,
    }),
    200,
  ).body;
  expect(changed).toMatchObject({ name: "Ours", createdBy: null, status: "DRAFT", version: 2 });
  expectStatus(await setter.patch(`${CONNECTIONS}/${id}`, { name: "Theirs", version: 1 }), 409);
  expect(expectStatus(await setter.get(CONNECTIONS), 200).body.data).toEqual([changed]);
  expectStatus(await setter.get(`${CONNECTIONS}/${enabled}`), 404);
  expectStatus(await setter.patch(`${CONNECTIONS}/${enabled}`, { name: "Mine" }), 404);
  expectStatus(await setter.post(`${CONNECTIONS}/${enabled}/test`), 404);
  expectStatus(await setter.delete(`${CONNECTIONS}/${id}`), 401);
});

test("what a setup link tested, a member may enable", async () => {
  const org = await createOrganization(t);
  const { id: linkId } = await setupLink(t, org, "connection");
  const id = await addConnection(org, provider);
  await t.sql(
    `INSERT INTO sso_tests (connection_id, setup_link_id, tested_version, passed_at, expires_at)
     SELECT id, $2, tested_version, now(), now() FROM sso_connections WHERE id = $1`,
    [id, linkId],
  );
  expectStatus(await org.admin.patch(`${CONNECTIONS}/${id}`, { status: "ENABLED" }), 200);
});

test("a finished, revoked or expired link, and one whose creator is no longer a member, is 401", async () => {
  const org = await createOrganization(t);
  const statusOf = async (id: string) =>
    expectStatus(await org.admin.get(SETUP_LINKS), 200).body.data.find((one: { id: string }) => one.id === id)
      .status;
  const finished = await setupLink(t, org, "connection");
  expectStatus(await finished.setter.post(`${SETUP}/finish`), 204);
  expectStatus(await finished.setter.get(SETUP), 401);
  expectStatus(await finished.setter.post(`${SETUP}/finish`), 401);
  expect(await statusOf(finished.id)).toBe("FINISHED");
  expect((await org.admin.get("/api/notifications")).body.data[0]).toMatchObject({
    type: "SIGN_ON_SETUP_FINISHED",
    data: { organizationId: org.id, email: finished.email },
  });

  const revoked = await setupLink(t, org, "connection");
  expectStatus(await org.admin.delete(`${SETUP_LINKS}/${revoked.id}`), 204);
  expectStatus(await org.admin.delete(`${SETUP_LINKS}/${revoked.id}`), 204);
  expectStatus(await org.admin.delete(`${SETUP_LINKS}/${crypto.randomUUID()}`), 404);
  expectStatus(await revoked.setter.get(SETUP), 401);
  expect(await statusOf(revoked.id)).toBe("REVOKED");

  const expired = await setupLink(t, org, "connection");
  await t.age("sign_on_setup_links", { id: expired.id }, { days: 8 });
  expectStatus(await expired.setter.get(CONNECTIONS), 401);
  expect(await statusOf(expired.id)).toBe("EXPIRED");

  const creator = await org.member({ role: "ORG_ADMIN" });
  const orphan = await setupLink(t, { admin: creator }, "connection");
  expectStatus(await orphan.setter.get(SETUP), 200);
  expectStatus(await org.admin.delete(`/api/members/${idOf(creator)}`), 204);
  expectStatus(await orphan.setter.get(SETUP), 401);
  expect(await statusOf(orphan.id)).toBe("REVOKED");
});

test("a setup link of a suspended organization is 403, of a deleted one 401", async () => {
  const org = await createOrganization(t);
  const { setter } = await setupLink(t, org, "domains");
  await setStatus(t, org, "SUSPENDED");
  for (const response of [await setter.get(SETUP), await setter.post(DOMAINS, { domain: newName() })])
    expect(outcome(response)).toBe("403 ORGANIZATION_SUSPENDED");
  await setStatus(t, org, "ACTIVE");
  const platform = await t.platformAdmin();
  expectStatus(await platform.delete(`/api/organizations/${org.id}`), 204);
  expectStatus(await setter.get(SETUP), 401);
});

test("an organization has at most five open links, and makes at most ten a day", async () => {
  const org = await createOrganization(t);
  const create = () => org.admin.post(SETUP_LINKS, { email: uniqueEmail(), what: ["domains"] });
  const made: string[] = [];
  for (let count = 0; count < 5; count += 1) made.push(expectStatus(await create(), 201).body.id);
  expect((await create()).body.code).toBe("CONFLICT");
  for (const id of made) expectStatus(await org.admin.delete(`${SETUP_LINKS}/${id}`), 204);
  for (let count = 0; count < 5; count += 1) expectStatus(await create(), 201);
  expectStatus(await create(), 429);
});

test("a setup link makes at most 60 requests a minute", async () => {
  const org = await createOrganization(t);
  const { setter } = await setupLink(t, org, "domains");
  for (let count = 0; count < 60; count += 1) expectStatus(await setter.get(DOMAINS), 200);
  expectStatus(await setter.get(DOMAINS), 429);
});
