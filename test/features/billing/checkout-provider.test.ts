import { afterEach, expect, test } from "bun:test";
import { until } from "../../support/cluster.ts";
import { assignments, createOrganization, type Organization, userIdOf } from "../../support/organizations.ts";
import { outcome } from "../../support/outcomes.ts";
import {
  barrier,
  CHECKOUT,
  PORTAL,
  PRO,
  type ProviderCall,
  startServiceWithPayments,
} from "../../support/payments.ts";
import { race } from "../../support/race.ts";
import { expectStatus, type Service, startService } from "../../support/service.ts";

const selling = await startServiceWithPayments();
const { t, proxy, payments } = selling;
/** Another instance on the same database, with a shorter timeout of the payment provider. */
const impatient = await startService(t.environment, { databaseUrl: t.databaseUrl, providerTimeoutMs: 3_000 });
afterEach(() => {
  proxy.guard = null;
  proxy.remembersKeys = true;
  payments.failNext(0);
});

const CUSTOMERS = "POST customers";
const SESSIONS = "POST checkout/sessions";

const checkout = async ({ admin }: Organization, url = t.url) =>
  outcome(await admin.at(url).post(CHECKOUT, PRO));
const portal = async ({ admin }: Organization, url = t.url) => outcome(await admin.at(url).post(PORTAL));
/** Returns a filter for the provider calls that create an organization's customer. */
const isOf =
  ({ id }: Organization) =>
  ({ form }: ProviderCall) =>
    form.get("metadata[organizationId]") === id;
/** Returns the distinct customers of all checkouts that an organization has started. */
const customersOf = ({ id }: Organization) => [
  ...new Set(
    selling
      .calls(SESSIONS)
      .filter(({ form }) => form.get("client_reference_id") === id)
      .map(({ form }) => form.get("customer")),
  ),
];
/** Blocks provider calls with this name until `open()` is called. */
function hold(name: string) {
  const gate = barrier();
  proxy.guard = async (call: ProviderCall) => {
    if (call.name === name) await gate.pass();
    return null;
  };
  return gate;
}

/** Beginnings of statements of the background: the relay of events, and the maintenance of search indexes. */
const BACKGROUND = "^(SELECT pg_try_advisory_xact_lock|WITH ordered AS|SELECT flush_search_indexes)";
/**
 * Waits for a moment without an open transaction or an advisory lock of a request, for less time than the impatient instance
 * waits for the provider. Excludes the job queue and work in the background.
 */
const noneOpen = (service: Service) =>
  until(
    async () => {
      const open = await service.sql(
        `WITH requests AS (SELECT pid, xact_start, application_name FROM pg_stat_activity
           WHERE datname = current_database() AND query !~ $1)
         SELECT pid FROM requests WHERE xact_start IS NOT NULL AND application_name LIKE 'api%'
         UNION ALL SELECT pid FROM pg_locks JOIN requests USING (pid) WHERE locktype = 'advisory'`,
        [BACKGROUND],
      );
      return open.length === 0 ? true : null;
    },
    { seconds: 2 },
  );

test("concurrent checkouts at several instances create one customer at the provider, which later ones use too", async () => {
  const other = await t.beside();
  const org = await createOrganization(t);
  const gate = hold(CUSTOMERS);
  const responses = race(10, (index) => checkout(org, index % 2 ? other.url : t.url));
  // The first checkout waits for the provider, and the others have been received.
  await until(() => (selling.calls(CUSTOMERS).filter(isOf(org)).length >= 10 ? true : null));
  gate.open();
  expect(await responses).toEqual(Array(10).fill("200"));
  expect(selling.madeFor(org)).toEqual([(await selling.customerOf(org)) ?? ""]);
  expect(await checkout(org)).toBe("200");
  expect(customersOf(org)).toEqual(selling.madeFor(org));
});

test("a customer that the provider created after the timeout is used by the next checkout", async () => {
  const org = await createOrganization(t);
  const gate = hold(CUSTOMERS);
  expect(await checkout(org, impatient.url)).toBe("502 PROVIDER_ERROR");
  gate.open();
  await until(() => (selling.madeFor(org).length > 0 ? true : null));
  expect(await checkout(org)).toBe("200");
  expect(selling.madeFor(org)).toEqual([(await selling.customerOf(org)) ?? ""]);
});

test("if the provider creates two customers for two concurrent checkouts, both checkouts use the same one", async () => {
  const org = await createOrganization(t);
  const both = barrier();
  proxy.remembersKeys = false;
  proxy.guard = async ({ name }) => {
    if (name !== CUSTOMERS) return null;
    await both.pass();
    return Response.json({ id: `cus_${crypto.randomUUID()}`, object: "customer" });
  };
  const responses = race(2, () => checkout(org));
  await both.reached(2);
  both.open();
  expect(await responses).toEqual(["200", "200"]);
  expect(customersOf(org)).toEqual([await selling.customerOf(org)]);
});

/** Responses of a failing provider. */
const FAILURES: Record<string, () => Response> = {
  "500": () => Response.json({ error: { type: "api_error", message: "Secret trouble" } }, { status: 500 }),
  "401": () =>
    Response.json({ error: { type: "invalid_request_error", message: "Secret key" } }, { status: 401 }),
  "400": () =>
    Response.json({ error: { type: "invalid_request_error", message: "No such price" } }, { status: 400 }),
  "429": () =>
    Response.json({ error: { type: "rate_limit_error", message: "Secret pace" } }, { status: 429 }),
  "a page": () => new Response("<html>Secret page</html>", { status: 503 }),
  "a page that looks well": () => new Response("<html>Secret page</html>"),
  nothing: () => new Response(""),
};

test("every failing response of the provider is 502, without details", async () => {
  for (const [how, failure] of Object.entries(FAILURES)) {
    const [fresh, known] = [await createOrganization(t), await createOrganization(t)];
    const customer = await selling.customer(known);
    proxy.guard = failure;
    for (const response of [
      await fresh.admin.post(CHECKOUT, PRO),
      await known.admin.post(CHECKOUT, PRO),
      await known.admin.post(PORTAL),
    ]) {
      expect([how, outcome(response)]).toEqual([how, "502 PROVIDER_ERROR"]);
      expect(JSON.stringify(response.body)).not.toMatch(/Secret|price|sk_of_tests/);
    }
    proxy.guard = null;
    expect(await selling.customerOf(fresh)).toBeNull();
    expect(await portal(fresh)).toBe("409 CONFLICT");
    expect(await selling.customerOf(known)).toBe(customer);
    expect([how, await checkout(known), await portal(known)]).toEqual([how, "200", "200"]);
  }
});

test("a checkout is 502 if the provider is unreachable", async () => {
  const cut = await t.beside({ PAYMENT_API_URL: "http://127.0.0.1:1" });
  const [fresh, known] = [await createOrganization(t), await createOrganization(t)];
  await selling.customer(known);
  expect(await checkout(fresh, cut.url)).toBe("502 PROVIDER_ERROR");
  expect(await checkout(known, cut.url)).toBe("502 PROVIDER_ERROR");
  expect(outcome(await known.admin.at(cut.url).post(PORTAL))).toBe("502 PROVIDER_ERROR");
  expect(await selling.customerOf(fresh)).toBeNull();
  // Once the provider is reachable again, the checkout succeeds.
  expect(await checkout(fresh)).toBe("200");
});

test("if the creation of a customer failed, the next checkout tries again", async () => {
  const org = await createOrganization(t);
  payments.failNext(2);
  expect(await checkout(org)).toBe("502 PROVIDER_ERROR");
  payments.failNext(0);
  expect(await checkout(org)).toBe("200");
});

test("a caller who loses the permission while the provider creates the customer cannot buy; others can, also after a rename", async () => {
  for (const change of [{}, { name: "Renamed" }]) {
    const org = await createOrganization(t);
    const buyer = await org.member({ role: "ORG_ADMIN" });
    const gate = hold(CUSTOMERS);
    const response = buyer.post(CHECKOUT, PRO);
    await gate.reached();
    const roles = `/api/members/${await userIdOf(t, buyer)}/roles`;
    expectStatus(await org.admin.patch(roles, assignments({ role: "MEMBER" })), 200);
    gate.open();
    expect(outcome(await response)).toBe("403 FORBIDDEN");
    expect(await selling.customerOf(org)).toBeNull();
    expectStatus(await org.admin.patch("/api/organization", change), 200);
    expect([change, await checkout(org)]).toEqual([change, "200"]);
  }
});

test("a checkout is 502 if the provider never responds, and no transaction or lock is open meanwhile", async () => {
  const never = new Promise<never>(() => {});
  const [fresh, known] = [await createOrganization(t), await createOrganization(t)];
  await selling.customer(known);
  const asked = barrier();
  proxy.guard = async () => {
    void asked.pass();
    return never;
  };
  const slow = [fresh, known].map((org) => checkout(org, impatient.url));
  slow.push(portal(known, impatient.url));
  await asked.reached(3);
  await noneOpen(t);
  for (const { admin } of [fresh, known]) {
    expectStatus(await admin.patch("/api/organization", { name: "Renamed" }), 200);
    expectStatus(await admin.post("/api/units", { name: "Unit", parentId: null }), 201);
    expectStatus(await admin.get("/api/organization/billing"), 200);
  }
  expect(await Promise.all(slow)).toEqual(Array(3).fill("502 PROVIDER_ERROR"));
  expect(await selling.customerOf(fresh)).toBeNull();
});

test("more slow checkouts than database connections do not delay other requests", async () => {
  const org = await createOrganization(t);
  await selling.customer(org);
  const gate = hold(SESSIONS);
  const slow = race(30, () => checkout(org));
  await gate.reached(30);
  await noneOpen(t);
  expectStatus(await org.admin.get("/api/organization"), 200);
  gate.open();
  expect(await slow).toEqual(Array(30).fill("200"));
});

test("an organization deleted while the provider creates the customer cannot buy", async () => {
  const platform = await t.platformAdmin();
  const org = await createOrganization(t);
  const gate = hold(CUSTOMERS);
  const response = checkout(org);
  await gate.reached();
  expectStatus(await platform.delete(`/api/organizations/${org.id}`), 204);
  gate.open();
  expect(await response).toBe("403 FORBIDDEN");
  expect(await selling.customerOf(org)).toBeNull();
});
