import { beforeAll, expect, test } from "bun:test";
import { newApiKey } from "../../../src/core/access/api-key-form.ts";
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

/** Everything that a product may read besides its own routes (contract: section 33). */
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
