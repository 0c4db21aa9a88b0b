import { afterAll } from "bun:test";
import { idempotentResponses } from "../../src/dev/idempotency.ts";
import { type Payments, type SignedEvent, startPayments } from "../../src/dev/payments.ts";
import type { ApiResponse, Caller } from "./caller.ts";
import type { Environment } from "./environment.ts";
import { createOrganization, type Organization } from "./organizations.ts";
import { PAYMENT, PLANS, planFiles } from "./plans.ts";
import { expectStatus, type Service, startService } from "./service.ts";

export const CHECKOUT = "/api/organization/billing/checkout";
export const PORTAL = "/api/organization/billing/portal";
export const WEBHOOK = "/api/billing/webhook";
export const PRO = { plan: "pro", interval: "month" };

/** A call of the payment provider's API. */
export type ProviderCall = { name: string; form: URLSearchParams; idempotencyKey: string | null };

/**
 * A proxy in front of the mock payment provider: it records calls, and can delay them or replace their responses. It
 * implements idempotency keys as the provider does, so that they also apply to replaced responses.
 */
export type ProviderProxy = {
  url: string;
  calls: ProviderCall[];
  /** Called before a call is forwarded to the provider; a response that it returns replaces the provider's. */
  guard: ((call: ProviderCall) => Promise<Response | null> | Response | null) | null;
  /** If false, idempotency keys are ignored, as the provider does after a day. */
  remembersKeys: boolean;
};

function startProxy(target: string): ProviderProxy & { stop(): Promise<void> } {
  const once = idempotentResponses();
  const proxy: ProviderProxy = { url: "", calls: [], guard: null, remembersKeys: true };

  async function pass(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const body = await request.text();
    const name = `${request.method} ${pathname.replace("/v1/", "")}`;
    const idempotencyKey = request.headers.get("idempotency-key");
    const form = new URLSearchParams(request.method === "GET" ? search : body);
    const call = { name, form, idempotencyKey };
    proxy.calls.push(call);
    const headers = new Headers(request.headers);
    const init = { method: request.method, headers, ...(body !== "" && { body }) };
    const key = proxy.remembersKeys ? idempotencyKey : null;
    return once(
      key,
      `${name} ${body}`,
      async () => (await proxy.guard?.(call)) ?? (await fetch(target + pathname + search, init)),
    );
  }

  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 120, fetch: pass });
  proxy.url = `http://127.0.0.1:${server.port}`;
  return Object.assign(proxy, { stop: () => server.stop(true) });
}

/** Starts a mock payment provider. By default its webhooks go to a closed port; tests send events themselves. */
export const startMock = (webhookUrl = () => "http://127.0.0.1:9") =>
  startPayments({
    secretKey: PAYMENT.PAYMENT_SECRET_KEY,
    webhookSecret: PAYMENT.PAYMENT_WEBHOOK_SECRET,
    webhookUrl,
  });

/** Starts a mock payment provider behind the proxy, for one test file. */
export function startProvider(webhookUrl: () => string) {
  const payments = startMock(webhookUrl);
  const proxy = startProxy(payments.url);
  afterAll(async () => {
    await proxy.stop();
    await payments.stop();
  });
  return { payments, proxy };
}

/** Starts a service with the plans of `PLANS` and its own mock payment provider. */
export async function startServiceWithPayments(overrides: Environment = {}): Promise<ServiceWithPayments> {
  const planFile = planFiles();
  const { payments, proxy } = startProvider(() => t.url + WEBHOOK);
  const environment = { BILLING_PLANS_FILE: planFile(PLANS), ...PAYMENT, PAYMENT_API_URL: proxy.url };
  const t: Service = await startService({ ...environment, ...overrides });
  return new ServiceWithPayments(t, payments, proxy);
}

export class ServiceWithPayments {
  constructor(
    readonly t: Service,
    readonly payments: Payments,
    readonly proxy: ProviderProxy,
  ) {}

  /** Creates the customer of an organization by a checkout; returns its id. */
  async customer(organization: Organization): Promise<string> {
    expectStatus(await organization.admin.post(CHECKOUT, PRO), 200);
    return (await this.customerOf(organization)) ?? "";
  }

  /** Creates an organization with a customer at the provider, but without a subscription. */
  async withCustomer() {
    const org = await createOrganization(this.t);
    return { org, customer: await this.customer(org) };
  }

  /** Returns the stored customer id of an organization. */
  async customerOf({ id }: { id: string }): Promise<string | null> {
    const select =
      "SELECT customer_id AS customer FROM organization_subscriptions WHERE organization_id = $1";
    return (await this.t.sql<{ customer: string | null }>(select, [id]))[0]?.customer ?? null;
  }

  /** Sends an event about a subscription or a checkout session to the webhook. */
  tell(type: string, object: { customer: string }, options: { id?: string; url?: string } = {}) {
    return deliver(this.t.anonymous(options.url), this.payments.event(type, object, options));
  }

  /** Creates a subscription for a customer, and sends its event to the webhook. */
  async subscribe(customer: string, priceId: string, more: Parameters<Payments["subscribe"]>[2] = {}) {
    const subscription = this.payments.subscribe(customer, priceId, more);
    expectStatus(await this.tell("customer.subscription.created", subscription), 200);
    return subscription;
  }

  /** Lists all customers that the provider has for an organization, used or not. */
  madeFor = ({ id }: { id: string }): string[] =>
    this.payments.customers.filter(({ organizationId }) => organizationId === id).map(({ id }) => id);

  /** Lists the calls of the provider's API with this name. */
  calls = (name: string) => this.proxy.calls.filter((call) => call.name === name);

  /** Reads all stored subscription data, to check that nothing was written. */
  stored = async () => ({
    copies: await this.t.sql("SELECT * FROM organization_subscriptions ORDER BY id"),
    events: await this.t.sql("SELECT * FROM payment_events ORDER BY id"),
    auditEvents: await this.t.sql("SELECT id FROM audit_events ORDER BY id"),
  });
}

/** Sends a signed event to the webhook. */
export const deliver = (
  caller: Caller,
  { body, signature }: SignedEvent,
  headers: Record<string, string> = {},
): Promise<ApiResponse> =>
  caller.post(WEBHOOK, undefined, { raw: body, headers: { "stripe-signature": signature, ...headers } });

/** Creates a point at which calls wait until it is opened; `reached` resolves when this many calls have arrived. */
export function barrier() {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const waiting: { count: number; resolve: () => void }[] = [];
  let come = 0;
  return {
    open,
    async pass() {
      come += 1;
      for (const one of waiting) if (come >= one.count) one.resolve();
      await opened;
    },
    reached(count = 1): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (come >= count) resolve();
      else waiting.push({ count, resolve });
      return promise;
    },
  };
}
