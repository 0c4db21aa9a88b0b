import { describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Caller } from "../../support/caller.ts";
import { until } from "../../support/cluster.ts";
import { EXAMPLES, ExampleProduct } from "../../support/inspections.ts";
import { startLosingProxy } from "../../support/losing-proxy.ts";
import { createOrganization, type Organization, userIdOf } from "../../support/organizations.ts";
import { relay } from "../../support/outgoing-events.ts";
import { planFiles } from "../../support/plans.ts";
import { PRODUCT_KEY, startProduct } from "../../support/product.ts";
import { expectStatus } from "../../support/service.ts";

/* The examples of a product, in Python and in Node.js, against the service: the same tests for both. */

const LIMIT = 6;
const plan = { key: "free", limits: { inspections: LIMIT }, features: [], paid: false };
const large = { key: "large", limits: {}, features: ["audit"], paid: false };
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const { t, product: service } = await startProduct({
  JWT_SIGNING_KEY: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  BILLING_PLANS_FILE: planFiles()({ plans: [large, plan], defaultPlan: "large", trial: null }),
});
const proxy = startLosingProxy(t.url, "/api/product/changes");
const { APP_URL = "" } = t.environment;
const environment = { SERVICE_URL: await proxy.started, APP_URL, PRODUCT_KEY };

const node = process.env.TEST_NODE ?? Bun.which("node");
const python = Bun.which("python3");
const installed = existsSync(join(EXAMPLES, "node/node_modules"));
/** `.ci/run` requires both; elsewhere an example whose programs are missing is skipped. */
const isRequired = Boolean(process.env.REQUIRE_EXAMPLES);
const examples = [
  { name: "Python", command: [python ?? "", join(EXAMPLES, "python/product.py")], exists: python !== null },
  {
    name: "Node.js",
    command: [node ?? "", join(EXAMPLES, "node/product.js")],
    exists: node !== null && installed,
  },
];

const used = async (org: Organization) =>
  expectStatus(await service.get(`/api/product/organizations/${org.id}/usage`), 200).body[0].used;
const limited = async (org: Organization) =>
  expectStatus(
    await (await t.platformAdmin()).patch(`/api/organizations/${org.id}/plan`, { planOverride: "free" }),
    200,
  );

for (const { name, command, exists } of examples) {
  if (!exists && !isRequired) {
    test.skip(`${name} is not installed`, () => {});
    continue;
  }
  const product = await ExampleProduct.start(command, environment);
  describe(name, () => {
    const create = (who: Caller, title = "Roof", unitId: string | null = null) =>
      product.send(who, "POST", "", { title, unitId });
    const created = async (who: Caller, title?: string, unitId?: string | null): Promise<string> => {
      const { status, body } = await create(who, title, unitId);
      expect([status, body.state]).toEqual([201, "active"]);
      return body.id;
    };

    test("a person works in the units of their roles, and sees nothing of others", async () => {
      const org = await createOrganization(t);
      const [europe, asia] = [await org.unit("Europe"), await org.unit("Asia")];
      const athens = await org.unit("Athens", europe);
      const role = await org.role(
        "Inspector",
        "Inspections.Read",
        "Inspections.Create",
        "Inspections.Update",
      );
      const inspector = await org.member({ role, unit: europe });
      const id = await created(inspector, "Roof", athens);
      const other = await created(org.admin, "Cellar", asia);
      const titles = async (who: Caller) =>
        (await product.send(who, "GET")).body.data.map(({ title }: { title: string }) => title);
      expect([await titles(inspector), await titles(org.admin)]).toEqual([["Roof"], ["Cellar", "Roof"]]);
      expect(await titles((await createOrganization(t)).admin)).toEqual([]);
      for (const [method, path, status] of [
        ["GET", `/${id}`, 200],
        ["GET", `/${other}`, 404],
        ["POST", `/${other}/complete`, 404],
        ["DELETE", `/${id}`, 403],
      ] as const)
        expect((await product.send(inspector, method, path)).status).toBe(status);
      expect((await create(inspector, "Cellar", asia)).status).toBe(403);
      expect((await create(inspector, "Cellar")).status).toBe(403);
      const nowhere = await create(org.admin, "Cellar", crypto.randomUUID());
      expect([nowhere.status, nowhere.body.message]).toEqual([403, expect.stringContaining("unit")]);
      expect((await titles(org.admin)).length).toBe(2);
    });

    test("the service learns of completion, assignment and deletion, with the reach of the unit", async () => {
      const org = await createOrganization(t);
      const unit = await org.unit("Athens");
      const id = await created(org.admin, "Roof", unit);
      const person = await org.member({ role: "MEMBER" });
      const assigned = await product.send(org.admin, "POST", `/${id}/assign`, {
        userId: await userIdOf(t, person),
      });
      expect([assigned.status, assigned.body.assigneeName]).toEqual([200, "Ada Lovelace"]);
      const [notification] = expectStatus(await person.get("/api/notifications"), 200).body.data;
      expect(notification).toMatchObject({ type: "INSPECTION_ASSIGNED", data: { id, title: "Roof" } });
      const stranger = await userIdOf(t, await t.person());
      expect((await product.send(org.admin, "POST", `/${id}/assign`, { userId: stranger })).status).toBe(400);

      expect((await product.send(org.admin, "POST", `/${id}/complete`)).body.state).toBe("completed");
      expect((await product.send(org.admin, "POST", `/${id}/complete`)).status).toBe(409);
      await relay(t);
      const events = expectStatus(await org.admin.get("/api/events?type=inspection.completed"), 200).body;
      expect(events.data).toMatchObject([{ data: { object: { id, title: "Roof" } } }]);

      expect(await used(org)).toBe(1);
      const administrator = await org.member({ role: "UNIT_ADMIN", unit });
      await org.link(administrator, unit);
      expect((await product.send(administrator, "DELETE", `/${id}`)).status).toBe(200);
      expect((await product.send(org.admin, "GET", `/${id}`)).status).toBe(404);
      expect(await used(org)).toBe(0);
      const query = "/api/organization/audit-events?action=INSPECTION_DELETED";
      for (const reader of [org.admin, administrator])
        expect(expectStatus(await reader.get(query), 200).body.data).toMatchObject([
          { targetId: id, product: true },
        ]);
    });

    test(`of 20 calls at once for the last ${LIMIT}, ${LIMIT} succeed, and the others get the limit's message`, async () => {
      const org = await createOrganization(t);
      await limited(org);
      const answers = await Promise.all(Array.from({ length: 20 }, () => create(org.admin)));
      expect(answers.map(({ status }) => status).sort()).toEqual([
        ...Array(LIMIT).fill(201),
        ...Array(20 - LIMIT).fill(403),
      ]);
      expect(answers.find(({ status }) => status === 403)?.body.message).toMatch(/plan|limit/i);
      const { data } = (await product.send(org.admin, "GET")).body;
      expect([data.length, await used(org)]).toEqual([LIMIT, LIMIT]);
      expect((await product.send(org.admin, "DELETE", `/${data[0].id}`)).status).toBe(200);
      await created(org.admin);
    });

    for (const fault of ["request", "answer"] as const)
      test(`a creation whose ${fault} is lost is 202, and counts once when it was repeated`, async () => {
        const org = await createOrganization(t);
        proxy.set(fault);
        const { status, body } = await create(org.admin);
        expect([status, body.state]).toEqual([202, "pending"]);
        expect((await product.send(org.admin, "DELETE", `/${body.id}`)).status).toBe(409);
        const before = proxy.state.lost;
        await until(() => (proxy.state.lost > before ? true : null));
        proxy.set("none");
        await product.until(org.admin, body.id, (answer) => answer.body.state === "active");
        expect(await used(org)).toBe(1);
      });

    test("a creation that the plan refuses only when it is repeated says so in the list, and can be deleted", async () => {
      const org = await createOrganization(t);
      proxy.set("request");
      const { body } = await create(org.admin);
      const usage = [{ limit: "inspections", id: "imported", amount: LIMIT, enforce: false }];
      expectStatus(await service.changes({ organizationId: org.id, actor: null, usage }), 200);
      await limited(org);
      proxy.set("none");
      const refused = await product.until(org.admin, body.id, (answer) => answer.body.state === "refused");
      expect(refused.body.reason).toMatch(/plan|limit/i);
      expect((await product.send(org.admin, "DELETE", `/${body.id}`)).status).toBe(200);
      expect(await used(org)).toBe(LIMIT);
    });

    test("a product that is killed before it got the answers finishes its work after the restart, each once", async () => {
      const org = await createOrganization(t);
      const done = await created(org.admin, "Done");
      proxy.set("held");
      const from = proxy.state.held;
      const calls = [
        ...Array.from({ length: 5 }, () => create(org.admin)),
        product.send(org.admin, "POST", `/${done}/complete`),
      ].map((call) => call.catch(() => null));
      await until(() => (proxy.state.held - from === calls.length ? true : null));
      await product.kill();
      for (const answer of await Promise.all(calls)) expect(answer?.status).not.toBe(201);
      proxy.set("none");
      await product.restart();
      const states = await until(async () => {
        const { data } = (await product.send(org.admin, "GET")).body;
        const all = data.map(({ state }: { state: string }) => state).sort();
        return all.includes("pending") ? null : all;
      });
      expect(states).toEqual([...Array(5).fill("active"), "completed"]);
      expect(await used(org)).toBe(6);
      await relay(t);
      const events = expectStatus(await org.admin.get("/api/events?type=inspection.completed"), 200).body;
      expect(events.data.length).toBe(1);
    });

    test("a removed member deletes nothing from then on, and a token that is none is refused", async () => {
      const org = await createOrganization(t);
      const id = await created(org.admin);
      const person = await org.member({ role: "ORG_ADMIN" });
      expect((await product.send(person, "GET", `/${id}`)).status).toBe(200);
      expectStatus(await org.admin.delete(`/api/members/${await userIdOf(t, person)}`), 204);
      const refused = await product.send(person, "DELETE", `/${id}`);
      expect([refused.status, refused.body.code]).toEqual([401, "NOT_A_MEMBER"]);
      const [head, claims, signature] = person.accessToken?.split(".") ?? [];
      const forged = `${head}.${claims}.${signature?.split("").reverse().join("")}`;
      for (const token of [null, "", "x", PRODUCT_KEY, forged])
        expect((await product.send(token, "GET")).status).toBe(401);
      expect((await product.send(org.admin, "GET", `/${id}`)).status).toBe(200);
    });

    test("the name of a deleted account is erased, and the record stays", async () => {
      const org = await createOrganization(t);
      const id = await created(org.admin);
      const person = await org.member({ role: "MEMBER" });
      const userId = await userIdOf(t, person);
      expect((await product.send(org.admin, "POST", `/${id}/assign`, { userId })).status).toBe(200);
      expectStatus(await person.patch("/api/profile", { lastName: "Byron" }), 200);
      await relay(t);
      await product.until(org.admin, id, ({ body }) => body.assigneeName === "Ada Byron");
      expectStatus(await person.post("/api/profile/delete", { password: person.account.password }), 204);
      await relay(t);
      const { body } = await product.until(org.admin, id, (answer) => answer.body.assigneeName === "");
      expect([body.state, body.assigneeId]).toEqual(["active", userId]);
    });

    test("records of a deleted unit belong to its parent, also after the parent was deleted", async () => {
      const org = await createOrganization(t);
      const [europe, other] = [await org.unit("Europe"), await org.unit("Other")];
      const greece = await org.unit("Greece", europe);
      const athens = await org.unit("Athens", greece);
      const id = await created(org.admin, "Roof", athens);
      for (const unit of [athens, greece]) expectStatus(await org.admin.delete(`/api/units/${unit}`), 204);
      await relay(t);
      await product.until(org.admin, id, ({ body }) => body.unitId === europe);
      const readers = [europe, other].map((unit) => org.member({ role: "UNIT_ADMIN", unit }));
      const statuses = [];
      for (const reader of readers) statuses.push((await product.send(await reader, "GET", `/${id}`)).status);
      expect(statuses).toEqual([200, 404]);
    });

    test("a deleted organization takes its records with it", async () => {
      const [org, neighbour] = [await createOrganization(t), await createOrganization(t)];
      const id = await created(org.admin);
      const kept = await created(neighbour.admin);
      const admin = await t.platformAdmin();
      const inside = await org.member({ role: "ORG_ADMIN" });
      expect((await product.send(inside, "GET", `/${id}`)).status).toBe(200);
      expectStatus(await admin.delete(`/api/organizations/${org.id}`), 204);
      await relay(t);
      await until(() => (product.records(org.id) === 0 ? true : null));
      expect((await product.send(inside, "DELETE", `/${id}`)).status).toBe(401);
      expect((await product.send(neighbour.admin, "GET", `/${kept}`)).status).toBe(200);
    });

    test("the page has a policy without foreign sources, and leads to the service's sign-in", async () => {
      const page = await fetch(`${product.url}/4711`);
      expect(page.headers.get("content-type")).toStartWith("text/html");
      expect(page.headers.get("content-security-policy")).toContain("default-src 'self'");
      const text = await page.text();
      expect(text).toContain(`data-app-url="${APP_URL}"`);
      const [, script = ""] = /src="([^"]+)"/.exec(text) ?? [];
      expect((await fetch(new URL(script, product.url))).headers.get("content-type")).toContain("javascript");
    });
  });
}
