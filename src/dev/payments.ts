import { createHmac, randomBytes } from "node:crypto";
import { idempotentResponses } from "./idempotency.ts";
import { checkoutPage, donePage, PORTAL_ACTIONS, portalPage, type Subscription } from "./payments-page.ts";

export type { Subscription } from "./payments-page.ts";

/*
 * Mocks the payment provider in development and tests. Implements the part of the form-encoded API that the service
 * uses, has pages for paying and canceling, and sends signed events. It listens only on the loopback address.
 */

type Session = { id: string; customer: string; priceId: string; successUrl: string; cancelUrl: string };

export type Payments = {
  url: string;
  readonly subscriptions: Subscription[];
  /** All customers, each with the organization for which it was created. */
  readonly customers: { id: string; organizationId: string | null }[];
  /** Prices by id, other than the price of every plan. */
  readonly prices: Map<string, { currency: string; unit_amount: number | null }>;
  /** Creates a subscription, as a payment does, without sending an event. */
  subscribe(customer: string, priceId: string, more?: Partial<Subscription>): Subscription;
  /** Returns a signed event, in the form that the webhook expects. */
  event(type: string, object: { customer: string }, options?: { id?: string; at?: number }): SignedEvent;
  /** Sends an event to the webhook; returns the status. */
  send(event: SignedEvent): Promise<number>;
  /** Called before each response to a list request. The response waits for the returned promise. */
  beforeListing: (() => Promise<void>) | null;
  /** Makes the next `count` API calls fail. */
  failNext(count: number): void;
  stop(): Promise<void>;
};

export type SignedEvent = { body: string; signature: string };

export type PaymentsOptions = {
  secretKey: string;
  webhookSecret: string;
  /** Returns the URL of the webhook. It is called for each event, because the service may start later. */
  webhookUrl: () => string;
  /** The port; 0 (the default) chooses a free one. */
  port?: number;
};

const DAY_SECONDS = 24 * 3600;
const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString("hex")}`;
const isYearly = (price: string) => /year/.test(price);
/** The price of every plan: 49 euros a month, or 490 a year. */
const usualPrice = (id: string) => ({ currency: "eur", unit_amount: isYearly(id) ? 49_000 : 4_900 });
/** The maximum number of items in a subscription; all are listed by their own path. */
const MAX_EMBEDDED = 10;
const now = () => Math.floor(Date.now() / 1000);

/** Starts the mock payment provider. */
export function startPayments({ secretKey, webhookSecret, webhookUrl, port = 0 }: PaymentsOptions): Payments {
  const customers: { id: string; organizationId: string | null }[] = [];
  const sessions = new Map<string, Session>();
  const subscriptions: Subscription[] = [];
  const once = idempotentResponses();
  let failures = 0;

  const api: Record<string, (form: URLSearchParams) => Promise<unknown> | unknown> = {
    "POST /v1/customers": (form) => {
      const customer = { id: newId("cus"), organizationId: form.get("metadata[organizationId]") };
      customers.push(customer);
      return { id: customer.id, object: "customer" };
    },
    "POST /v1/checkout/sessions": (form) => {
      const session = {
        id: newId("cs"),
        customer: form.get("customer") ?? "",
        priceId: form.get("line_items[0][price]") ?? "",
        successUrl: form.get("success_url") ?? "",
        cancelUrl: form.get("cancel_url") ?? "",
      };
      sessions.set(session.id, session);
      return { id: session.id, object: "checkout.session", url: `${payments.url}/pay/${session.id}` };
    },
    "POST /v1/billing_portal/sessions": (form) => ({
      id: newId("bps"),
      object: "billing_portal.session",
      url: `${payments.url}/portal/${form.get("customer")}?return=${encodeURIComponent(form.get("return_url") ?? "")}`,
    }),
    "GET /v1/subscriptions": async (form) => {
      const data = structuredClone(subscriptions.filter(({ customer }) => customer === form.get("customer")));
      await payments.beforeListing?.();
      for (const { items } of data) {
        items.has_more = items.data.length > MAX_EMBEDDED;
        items.data = items.data.slice(0, MAX_EMBEDDED);
      }
      return { object: "list", url: "/v1/subscriptions", has_more: false, data };
    },
    "GET /v1/subscription_items": (form) => {
      const data = subscriptions.find(({ id }) => id === form.get("subscription"))?.items.data ?? [];
      return { object: "list", url: "/v1/subscription_items", has_more: false, data };
    },
  };

  const priceOf = (id: string) => ({ id, object: "price", ...(payments.prices.get(id) ?? usualPrice(id)) });

  async function handle(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const [, priceId] = /^\/v1\/prices\/([^/]+)$/.exec(pathname) ?? [];
    const call =
      priceId === undefined
        ? api[`${request.method} ${pathname}`]
        : () => priceOf(decodeURIComponent(priceId));
    if (call === undefined) return page(request, pathname, searchParams);
    if (request.headers.get("authorization") !== `Bearer ${secretKey}`)
      return Response.json({ error: { type: "invalid_request_error", message: "Bad key" } }, { status: 401 });
    const form = request.method === "GET" ? searchParams : new URLSearchParams(await request.text());
    return once(request.headers.get("idempotency-key"), `${request.method} ${pathname} ${form}`, async () => {
      if (failures > 0) {
        failures -= 1;
        return Response.json({ error: { type: "api_error", message: "Out of order" } }, { status: 500 });
      }
      return Response.json(await call(form));
    });
  }

  async function page(request: Request, path: string, query: URLSearchParams): Promise<Response> {
    const [, kind, id = "", action] = path.split("/");
    const session = sessions.get(id);
    if (kind === "pay" && session !== undefined) {
      if (request.method === "GET") return html(checkoutPage(session));
      const subscription = payments.subscribe(session.customer, session.priceId);
      await payments.send(payments.event("customer.subscription.created", subscription));
      await payments.send(payments.event("checkout.session.completed", session));
      return html(donePage("Paid", session.successUrl));
    }
    if (kind === "portal") {
      const own = subscriptions.filter(({ customer }) => customer === id);
      if (request.method === "GET") return html(portalPage(id, own, query.get("return") ?? ""));
      const { label = "", change } = PORTAL_ACTIONS[action ?? ""] ?? {};
      for (const subscription of own) Object.assign(subscription, change?.(subscription));
      const type = `customer.subscription.${action === "cancel" ? "deleted" : "updated"}`;
      for (const subscription of own) await payments.send(payments.event(type, subscription));
      return html(donePage(label, query.get("return") ?? ""));
    }
    return new Response("Not found", { status: 404 });
  }

  const server = Bun.serve({ hostname: "127.0.0.1", port, fetch: handle });
  const payments: Payments = {
    url: `http://127.0.0.1:${server.port}`,
    subscriptions,
    customers,
    prices: new Map(),
    beforeListing: null,
    subscribe(customer, priceId, more = {}) {
      const current_period_end = now() + (isYearly(priceId) ? 365 : 30) * DAY_SECONDS;
      const item = { id: newId("si"), price: { id: priceId }, current_period_end };
      const subscription: Subscription = {
        id: newId("sub"),
        object: "subscription",
        customer,
        status: "active",
        created: now(),
        billing_mode: { type: "flexible" },
        cancel_at: null,
        cancel_at_period_end: false,
        pause_collection: null,
        items: { object: "list", has_more: false, data: [item] },
        ...more,
      };
      subscriptions.push(subscription);
      return subscription;
    },
    event(type, object, { id = newId("evt"), at = now() } = {}) {
      const body = JSON.stringify({ id, object: "event", type, created: at, data: { object } });
      const digest = createHmac("sha256", webhookSecret).update(`${at}.${body}`).digest("hex");
      return { body, signature: `t=${at},v1=${digest}` };
    },
    async send({ body, signature }) {
      const headers = { "content-type": "application/json", "stripe-signature": signature };
      const response = await fetch(webhookUrl(), { method: "POST", headers, body });
      return response.status;
    },
    failNext: (count) => {
      failures = count;
    },
    stop: () => server.stop(true),
  };
  return payments;
}

const html = (text: string) =>
  new Response(text, { headers: { "content-type": "text/html; charset=utf-8" } });
