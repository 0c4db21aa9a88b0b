import Stripe from "stripe";
import { providerError } from "#kit/inside";
import type { Fetch } from "../../platform/tracing/tracing.ts";

declare module "../../core/context.ts" {
  interface App {
    /** The client of the payment provider; null if payments are not configured. */
    readonly payments: PaymentProvider | null;
  }
}

/** The current state of a subscription at the provider. */
export type ProviderSubscription = {
  id: string;
  /** The provider's status; `paused` also if only the collection of payments is paused (rules 19.18). */
  status: string;
  /** The prices of the subscription, each with the end of its paid period. */
  items: { priceId: string; periodEnd: Date | null }[];
  /** When the subscription ends by itself; null if it does not, or if it ends with the paid period. */
  cancelAt: Date | null;
  cancelAtPeriodEnd: boolean;
  createdAt: Date;
};

/**
 * A price at the provider; `amount` is in the smallest unit that ISO 4217 defines for the currency, null if the price
 * has no fixed amount.
 */
export type ProviderPrice = { id: string; amount: number | null; currency: string };

/** The payment provider. All calls to it go through this interface. Calls that a user waits for throw providerError. */
export interface PaymentProvider {
  /**
   * Creates one customer per idempotency key, even if it is called repeatedly; returns the customer's id.
   * @throws providerError; `isFinalForKey` says whether the key can still succeed
   */
  createCustomer(organization: { id: string; name: string; idempotencyKey: string }): Promise<string>;
  /** Creates a checkout session; returns the URL of its page. */
  createCheckout(order: {
    customerId: string;
    organizationId: string;
    priceId: string;
    successUrl: string;
    cancelUrl: string;
    idempotencyKey: string | undefined;
  }): Promise<string>;
  /** Creates a portal session; returns the URL of its page. With a subscription, the page offers other plans for it. */
  createPortal(visit: {
    customerId: string;
    subscriptionToChange: string | null;
    returnUrl: string;
    idempotencyKey: string | undefined;
  }): Promise<string>;
  /** Returns the prices with these ids from the payment provider. */
  listPrices(ids: string[]): Promise<ProviderPrice[]>;
  /**
   * Lists the subscriptions of a customer in every status. Does not convert errors to providerError: only webhook
   * events and jobs call this method, and they are retried.
   */
  listSubscriptions(customerId: string): Promise<ProviderSubscription[]>;
  /**
   * Whether this error concerns a single customer (for example, one that the provider does not know), and not the
   * provider itself.
   */
  isAboutCustomer(error: unknown): boolean;
  /**
   * Whether the provider would repeat this error for the same idempotency key. A call whose response was lost is not
   * final: it may have created a customer, which only the same key returns.
   */
  isFinalForKey(error: { cause?: unknown }): boolean;
  /** Whether the provider caused this error, and not a mistake of the service. */
  isOfProvider(error: unknown): boolean;
}

/** The timeout of a call. Two calls of two attempts each, and a delay, end before proxies stop waiting (after 60 s). */
const TIMEOUT_MS = 6_000;
/** The share of the timeout for which a call waits for a concurrent call that is creating the same customer. */
const IN_USE = 2 / 3;

type Options = {
  secretKey: string;
  apiUrl: string | null;
  send: Fetch;
  timeoutMs?: number | undefined;
};

/**
 * Creates the provider with the `stripe` package, which sends requests with `send`. `apiUrl` replaces the provider's
 * address in tests and in development; `timeoutMs` limits a call, in tests.
 */
export function stripeProvider({
  secretKey,
  apiUrl,
  send,
  timeoutMs = TIMEOUT_MS,
}: Options): PaymentProvider {
  const address = apiUrl === null ? null : new URL(apiUrl);
  const stripe = new Stripe(secretKey, {
    timeout: timeoutMs,
    maxNetworkRetries: 1,
    telemetry: false,
    httpClient: Stripe.createFetchHttpClient(send as typeof fetch),
    ...(address && {
      host: address.hostname,
      port: address.port || (address.protocol === "https:" ? "443" : "80"),
      protocol: address.protocol === "https:" ? "https" : "http",
    }),
  });

  return {
    async createCustomer({ id, name, idempotencyKey }) {
      const order = { name, metadata: { organizationId: id } };
      const until = performance.now() + IN_USE * timeoutMs;
      for (;;) {
        try {
          return (await stripe.customers.create(order, { idempotencyKey })).id;
        } catch (error) {
          // The Stripe client waits before each retry, so this loop is not busy.
          if (!isKeyInUse(error) || performance.now() > until) throw providerError(error);
        }
      }
    },
    createCheckout: ({ customerId, organizationId, priceId, successUrl, cancelUrl, idempotencyKey }) =>
      callProvider(async () => {
        const session = await stripe.checkout.sessions.create(
          {
            mode: "subscription",
            customer: customerId,
            client_reference_id: organizationId,
            line_items: [{ price: priceId, quantity: 1 }],
            success_url: successUrl,
            cancel_url: cancelUrl,
          },
          idempotencyKey === undefined ? {} : { idempotencyKey },
        );
        if (session.url === null) throw new Error("A checkout session without an address");
        return session.url;
      }),
    createPortal: ({ customerId, returnUrl, subscriptionToChange, idempotencyKey }) =>
      callProvider(async () => {
        const change = subscriptionToChange && {
          flow_data: {
            type: "subscription_update" as const,
            subscription_update: { subscription: subscriptionToChange },
          },
        };
        const visit = { customer: customerId, return_url: returnUrl, ...change };
        const options = idempotencyKey === undefined ? {} : { idempotencyKey };
        return (await stripe.billingPortal.sessions.create(visit, options)).url;
      }),
    listPrices: (ids) =>
      Promise.all(
        ids.map(async (id) => {
          const { unit_amount: amount, currency } = await stripe.prices.retrieve(id);
          return { id, amount: isoAmount(amount, currency), currency };
        }),
      ),
    async listSubscriptions(customerId) {
      const { data } = await stripe.subscriptions.list({ customer: customerId, status: "all", limit: 100 });
      return Promise.all(data.map((one) => subscriptionOf(stripe, one)));
    },
    isAboutCustomer: (error) => error instanceof Stripe.errors.StripeInvalidRequestError,
    isFinalForKey: ({ cause }) => statusOf(cause) !== undefined && !isKeyInUse(cause),
    isOfProvider: (error) => error instanceof Stripe.errors.StripeError,
  };
}

/**
 * The amounts of these currencies in the unit of ISO 4217, per unit in which the provider counts them: it counts ISK
 * and UGX in hundredths that they do not have, and MGA without its hundredths
 * (docs.stripe.com/currencies#special-cases).
 */
const ISO_UNITS: Readonly<Record<string, number>> = { isk: 1 / 100, ugx: 1 / 100, mga: 100 };

/** Converts an amount of the provider to the smallest unit that ISO 4217 defines for the currency. */
const isoAmount = (amount: number | null, currency: string) =>
  amount === null ? null : Math.round(amount * (ISO_UNITS[currency] ?? 1));

const statusOf = (error: unknown) =>
  error instanceof Stripe.errors.StripeError ? error.statusCode : undefined;

const isKeyInUse = (error: unknown) => statusOf(error) === 409;

/** Calls the provider. @throws providerError, with the provider's error as its cause */
async function callProvider<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw providerError(error);
  }
}

async function subscriptionOf(
  stripe: Stripe,
  subscription: Stripe.Subscription,
): Promise<ProviderSubscription> {
  const { id, status, cancel_at, cancel_at_period_end, pause_collection, created } = subscription;
  const { data, has_more } = subscription.items;
  // A subscription contains only its first items.
  const items = has_more
    ? (await stripe.subscriptionItems.list({ subscription: id, limit: 100 })).data
    : data;
  return {
    id,
    // Pausing the collection of payments does not change the provider's status.
    status: pause_collection && !ENDED.has(status) ? "paused" : status,
    items: items.map((item) => ({ priceId: item.price.id, periodEnd: periodEndOf(subscription, item) })),
    cancelAt: cancel_at ? dateOf(cancel_at) : null,
    cancelAtPeriodEnd: cancel_at_period_end,
    createdAt: dateOf(created),
  };
}

/** The statuses that the provider never changes again. */
const ENDED = new Set<string>(["canceled", "incomplete_expired"]);

const dateOf = (seconds: number) => new Date(seconds * 1000);

/** Newer versions of the provider's API have the period's end in the item, older versions in the subscription. */
function periodEndOf(subscription: Stripe.Subscription, item: Partial<Stripe.SubscriptionItem>): Date | null {
  const { current_period_end: ofOlderVersion } = subscription as { current_period_end?: number };
  const end = item.current_period_end ?? ofOlderVersion;
  return end === undefined ? null : dateOf(end);
}
