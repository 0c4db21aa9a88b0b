import { beforeAll, expect, test } from "bun:test";
import { newApiKey } from "../../../src/core/access/token-forms.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { PRODUCT_KEY, ProductCaller, startProduct } from "../../support/product.ts";
import { definitions } from "../../support/routes.ts";
import { expectStatus } from "../../support/service.ts";

const previous = newApiKey("mosp");
const { t, product } = await startProduct({ PRODUCT_KEY_PREVIOUS: previous });
let org: Organization;
beforeAll(async () => {
  org = await createOrganization(t);
});

/** Everything that a product may read besides its own routes (rules 36.5). */
const ALLOWED = [
  "GET /api/members",
  "GET /api/members/{userId}",
  "GET /api/organization/billing",
  "GET /api/organizations",
  "GET /api/organizations/{id}",
  "GET /api/permissions",
  "GET /api/roles",
  "GET /api/units",
];

test("the key of the product may call its own routes and the listed reads, and everything else is 403", async () => {
  const declared = definitions.filter(({ productKey }) => productKey);
  expect(declared.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort()).toEqual(ALLOWED);
  const refused: string[] = [];
  for (const { method, path, access, productKey } of definitions) {
    if (access === "public" || access === "product" || productKey) continue;
    const url = path.replace(/\{\w+\}/g, crypto.randomUUID());
    const { status, body } = await product.send(method.toUpperCase(), url, method === "get" ? undefined : {});
    if (status !== 403 || body.code !== "PRODUCT_KEY_NOT_ALLOWED")
      refused.push(`${method} ${path}: ${status}`);
  }
  expect(refused).toEqual([]);
});

test("the product reads an organization as a platform administrator does, and must name exactly one", async () => {
  const unit = await org.unit("Athens");
  expect(expectStatus(await product.in(org.id, "/api/units"), 200).body.data).toMatchObject([{ id: unit }]);
  const members = expectStatus(await product.in(org.id, "/api/members"), 200).body.data;
  expect(members).toMatchObject([{ email: org.admin.email }]);
  expectStatus(await product.in(org.id, `/api/members/${members[0].userId}`), 200);
  expectStatus(await product.in(org.id, "/api/roles"), 200);
  expectStatus(await product.in(org.id, "/api/organization/billing"), 200);
  expectStatus(await product.get("/api/organizations"), 200);
  expectStatus(await product.get(`/api/organizations/${org.id}`), 200);
  expectStatus(await product.get("/api/permissions"), 200);

  expect(expectStatus(await product.get("/api/units"), 400).body.code).toBe("ORGANIZATION_REQUIRED");
  const two = `${org.id},${crypto.randomUUID()}`;
  expect(expectStatus(await product.in(two, "/api/units"), 400).body.code).toBe("ORGANIZATION_REQUIRED");
  expectStatus(await product.in(crypto.randomUUID(), "/api/units"), 404);
  for (const path of ["/api/units", "/api/organizations", "/api/permissions"])
    expectStatus(await product.in("here", path), 400);
});

test("the previous key is accepted, and no other one, wherever it is sent", async () => {
  const as = (key: string) => Object.assign(new ProductCaller(t.url), { accessToken: key });
  expectStatus(await as(previous).get("/api/organizations"), 200);
  for (const key of [
    newApiKey("mosp"),
    newApiKey("mosk"),
    `${PRODUCT_KEY}x`,
    PRODUCT_KEY.slice(0, -1),
    "mosp_",
  ])
    expectStatus(await as(key).get("/api/organizations"), 401);
  const nobody = t.anonymous();
  expectStatus(await nobody.get(`/api/organizations?access_token=${PRODUCT_KEY}`), 401);
  expectStatus(
    await nobody.get("/api/organizations", { headers: { cookie: `refresh_token=${PRODUCT_KEY}` } }),
    401,
  );
  expectStatus(await nobody.get("/api/organizations", { headers: { "x-api-key": PRODUCT_KEY } }), 401);
});

test("without a valid key of the product its routes are 401, and the message asks for the key", async () => {
  for (const token of [null, org.admin.accessToken, newApiKey("mosp"), newApiKey("mosk"), "setup_a"]) {
    const caller = Object.assign(new ProductCaller(t.url), { accessToken: token });
    const { body } = expectStatus(await caller.post("/api/product/check", { token: "a" }), 401);
    expect([body.code, body.message]).toEqual([
      "UNAUTHENTICATED",
      "A valid key of the product is required in Authorization, as Bearer",
    ]);
  }
});

test("from the 21st unknown key of an address in a minute on the answer is 429, and known keys still work", async () => {
  const { t, product } = await startProduct({ TRUST_PROXY: "1" });
  const headers = { "x-forwarded-for": "192.0.2.7" };
  const send = async (key: string) =>
    (
      await new ProductCaller(t.url).post(
        "/api/product/check",
        { token: "a" },
        { headers: { ...headers, authorization: `Bearer ${key}` } },
      )
    ).status;
  const statuses = [];
  for (let nth = 0; nth < 22; nth += 1) statuses.push(await send(newApiKey("mosp")));
  expect(statuses).toEqual([...Array(20).fill(401), 429, 429]);
  expect(await send(PRODUCT_KEY)).toBe(200);
  expectStatus(await product.post("/api/product/check", { token: "a" }), 200);
});

test("responses to the key report its limit, and beyond it are 429", async () => {
  const { product } = await startProduct({ PRODUCT_RATE_LIMIT: "3" });
  const answers = [];
  for (let nth = 0; nth < 4; nth += 1) answers.push(await product.get("/api/organizations"));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  expect(answers[0]?.headers.get("ratelimit-policy")).toBe('"product";q=3;w=60');
  expect(answers[0]?.headers.get("ratelimit")).toStartWith('"product";r=2;t=');
});

test("a browser gets no CORS headers from the product's routes, but from those of the API at the product's origin", async () => {
  const headers = { origin: "https://app.example.com", "access-control-request-method": "POST" };
  const preflight = (path: string) => fetch(t.url + path, { method: "OPTIONS", headers });
  const allowed = await preflight("/api/auth/refresh");
  expect([allowed.status, allowed.headers.get("access-control-allow-origin")]).toEqual([204, headers.origin]);
  const refused = await preflight("/api/product/check");
  expect(refused.headers.get("access-control-allow-origin")).toBeNull();
  expect(refused.status).toBeGreaterThanOrEqual(400);
  const answer = await fetch(`${t.url}/api/product/check`, {
    method: "POST",
    headers: {
      origin: headers.origin,
      authorization: `Bearer ${PRODUCT_KEY}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ token: "a" }),
  });
  expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, null]);
});

test("no log line has the key, a token that was checked, or what was reported", async () => {
  const [instance] = await t.cluster(1, { PRODUCT_FILE: process.env.PRODUCT_FILE, LOG_LEVEL: "debug" });
  const caller = new ProductCaller(instance?.url ?? "");
  const token = org.admin.accessToken ?? "";
  expectStatus(await caller.post("/api/product/check", { token }), 200);
  const audit = [
    { action: "INSPECTION_DELETED", targetId: org.id, metadata: { title: "a very secret title" } },
  ];
  expectStatus(await caller.changes({ organizationId: org.id, actor: null, audit }), 200);
  expectStatus(
    await caller.changes({ organizationId: org.id, actor: null, audit: [{ ...audit[0], action: "x" }] }),
    400,
  );
  const text = (instance?.log() ?? []).join("\n");
  expect(text).toContain("/api/product/changes");
  expect([PRODUCT_KEY, token, "a very secret title"].filter((secret) => text.includes(secret))).toEqual([]);
});
