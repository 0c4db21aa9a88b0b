import { expect, test } from "bun:test";
import { MEMBER } from "../../../src/core/access/catalog.ts";
import { insertClient } from "../../support/apps.ts";
import { register } from "../../support/authenticator.ts";
import type { Caller } from "../../support/caller.ts";
import { add as addDomain } from "../../support/domains.ts";
import { report } from "../../support/helpdesk.ts";
import { createAccount, createMachine } from "../../support/machines.ts";
import { createOrganization } from "../../support/organizations.ts";
import { actingIn, idOf, outcome } from "../../support/outcomes.ts";
import { productCases } from "../../support/product-cases.ts";
import { expectStatus, sharedService } from "../../support/service.ts";
import { connect } from "../../support/sso.ts";
import { createEndpoint } from "../../support/webhooks.ts";

const t = await sharedService();
const org = await createOrganization(t);
const root = await t.platformAdmin();
const member = await org.member();
const { paths } = (await t.anonymous().get("/api/docs-json")).body;
const changes = Object.keys(paths).filter((path) => "patch" in paths[path]);

/** Creates a record for each PATCH route, by the prefix of its path. */
const RECORDS: Record<string, () => Promise<string> | string> = {
  "/api/profile/passkeys/": async () => expectStatus(await register(root), 201).body.passkey.id,
  "/api/organizations/": () => org.id,
  "/api/units/": () => org.unit("Unit"),
  "/api/roles/": () => org.role(crypto.randomUUID(), "Units.Read"),
  "/api/members/": () => idOf(member),
  "/api/users/": () => idOf(member),
  "/api/service-accounts/{id}/keys/": async () => {
    const { id, keyId } = await createMachine(org, { role: "MEMBER" });
    return `${id} ${keyId}`;
  },
  "/api/service-accounts/": () => createAccount(org, { role: "MEMBER" }),
  "/api/webhooks/": async () => (await createEndpoint(org.admin, "https://hooks.example.com/events")).id,
  "/api/todos/": async () => expectStatus(await member.post("/api/todos", { title: "One" }), 201).body.id,
  "/api/organization/domains/": async () => (await addDomain(org)).id,
  "/api/organization/connections/": async () =>
    (await connect(t, org, { issuer: "https://login.example.com" })).id,
  "/api/organization/oauth-clients/": () => insertClient(t, { organizationId: org.id }),
  "/api/oauth-clients/": () => insertClient(t),
  "/api/organization/helpdesk/": async () => (await report(member)).id,
  "/api/helpdesk/": async () => (await report(member)).id,
  ...Object.fromEntries(
    productCases.flatMap(({ records }) =>
      Object.entries(records).map(([prefix, create]) => [prefix, () => create(member, org.admin)]),
    ),
  ),
};
const recordOf = async (path: string) =>
  (await Object.entries(RECORDS).find(([start]) => path.startsWith(start))?.[1]()) ?? "";
/** Fills the parameters of a path with ids, which are separated by spaces. */
const at = (path: string, ids: string) => {
  const [first = "", second = first] = ids.split(" ");
  return path.replace(/\{\w+\}/, first).replace(/\{\w+\}/, second);
};

/** A digest of every row of every table, including the transaction that wrote it (`xmin`). */
async function everything(): Promise<string> {
  const tables = await t.sql<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
  );
  const sums = tables.map(
    ({ name }) =>
      `SELECT '${name} ' || md5(coalesce(string_agg(r.xmin::text || r::text, E'\\n' ORDER BY r::text), '')) AS sum FROM "${name}" r`,
  );
  const rows = await t.sql<{ sum: string }>(sums.join(" UNION ALL "));
  // UNION ALL has no order: PostgreSQL may append in parallel.
  return rows
    .map(({ sum }) => sum)
    .toSorted()
    .join("\n");
}

/**
 * Like `everything`, but first waits until nothing is being written: the audit event of a sign-in is written after its
 * response.
 */
async function unchanging(): Promise<string> {
  for (let before = await everything(); ; ) {
    await Bun.sleep(300);
    const now = await everything();
    if (now === before) return now;
    before = now;
  }
}

const change = (who: Caller, path: string, body: unknown) =>
  who.patch(path, body, who === root ? actingIn(org) : {});

/** Platform administrators may only turn these off, so members change them. */
const OF_MEMBERS = /^\/api\/organization\/(connections|domains|sign-on)/;
const editorOf = (path: string): Caller => (OF_MEMBERS.test(path) ? org.admin : root);

test("an empty PATCH returns 200 on every route and writes nothing", async () => {
  expect(changes.length).toBeGreaterThan(10);
  for (const path of changes) {
    const target = at(path, await recordOf(path));
    const before = await unchanging();
    expect([path, outcome(await change(editorOf(path), target, {}))]).toEqual([path, "200"]);
    expect([path, (await everything()) === before]).toEqual([path, true]);
  }
});

test("an empty PATCH needs the same permission as any other, and is 404 for a missing record", async () => {
  for (const path of changes.filter((path) => path.includes("{"))) {
    expect([path, outcome(await change(editorOf(path), at(path, crypto.randomUUID()), {}))]).toEqual([
      path,
      "404 NOT_FOUND",
    ]);
    expect([path, outcome(await change(t.anonymous(), at(path, crypto.randomUUID()), {}))]).toEqual([
      path,
      "401 UNAUTHENTICATED",
    ]);
    const access = paths[path].patch["x-access"];
    const mayCall = access === "signed-in" || MEMBER.permissions.includes(access);
    const refused = mayCall ? "404 NOT_FOUND" : "403";
    expect([path, outcome(await change(member, at(path, crypto.randomUUID()), {}))]).toEqual([
      path,
      expect.stringContaining(refused),
    ]);
  }
});

test("an empty PATCH of a platform administrator's own account is 200, not a 409 conflict", async () => {
  expect(outcome(await root.patch(`/api/users/${idOf(root)}`, {}))).toBe("200");
  expect(outcome(await root.patch(`/api/users/${idOf(root)}`, { isPlatformAdmin: true }))).toBe(
    "409 CONFLICT",
  );
});
