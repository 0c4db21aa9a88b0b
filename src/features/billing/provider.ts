import Stripe from "stripe";
import { providerError } from "../../platform/errors.ts";

declare module "../../core/context.ts" {
  interface App {
    /** Null where nothing is sold. */
    readonly payments: PaymentProvider | null;
  }
}

/** A subscription as the provider has it now. */
export type ProviderSubscription = {
  id: string;
  status: string;
  priceIds: string[];
  currentPeriodEnd: Date | null;
  cancelAtPeriodEnd: boolean;
  createdAt: Date;
};

/** The payment provider: the one seam to it. What people wait for throws providerError when it fails. */
export interface PaymentProvider {
  /**
   * However often one key is asked for, one customer is made, whose id all get.
   * @throws providerError; what `isFinalForKey` says of it tells whether the key is of any use still
   */
  createCustomer(organization: { id: string; name: string; idempotencyKey: string }): Promise<string>;
  /** Where the customer pays. */
  createCheckout(order: {
    customerId: string;
    organizationId: string;
    priceId: string;
    successUrl: string;
    cancelUrl: string;
  }): Promise<string>;
  /** Where the customer manages what was bought. */
  createPortal(visit: { customerId: string; returnUrl: string }): Promise<string>;
  /** Of every status. Throws whatever went wrong: only events of the provider ask, and it repeats those. */
  listSubscriptions(customerId: string): Promise<ProviderSubscription[]>;
}

/** Two calls of two attempts each, and a wait, stay within the time that a connection may be silent. */
const TIMEOUT_MS = 6_000;
/** How long a call waits for another one that is making the same customer. */
const IN_USE_MS = 4_000;

type Options = { secretKey: string; apiUrl: string | null };

/** The provider by the `stripe` package. `apiUrl` stands in for its address in tests and in development. */
export function stripeProvider({ secretKey, apiUrl }: Options): PaymentProvider {
  const address = apiUrl === null ? null : new URL(apiUrl);
  const stripe = new Stripe(secretKey, {
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 1,
    telemetry: false,
    httpClient: Stripe.createFetchHttpClient(),
    ...(address && {
      host: address.hostname,
      port: address.port || (address.protocol === "https:" ? "443" : "80"),
      protocol: address.protocol === "https:" ? "https" : "http",
    }),
  });

  return {
    async createCustomer({ id, name, idempotencyKey }) {
      const order = { name, metadata: { organizationId: id } };
      const until = performance.now() + IN_USE_MS;
      for (;;) {
        try {
          return (await stripe.customers.create(order, { idempotencyKey })).id;
        } catch (error) {
          // The client has waited before it repeated the call, and so this does not turn idly.
          if (!isKeyInUse(error) || performance.now() > until) throw providerError(error);
        }
      }
    },
    createCheckout: ({ customerId, organizationId, priceId, successUrl, cancelUrl }) =>
      asked(async () => {
        const session = await stripe.checkout.sessions.create({
          mode: "subscription",
          customer: customerId,
          client_reference_id: organizationId,
          line_items: [{ price: priceId, quantity: 1 }],
          success_url: successUrl,
          cancel_url: cancelUrl,
        });
        if (session.url === null) throw new Error("A checkout session without an address");
        return session.url;
      }),
    createPortal: ({ customerId, returnUrl }) =>
      asked(
        async () =>
          (await stripe.billingPortal.sessions.create({ customer: customerId, return_url: returnUrl })).url,
      ),
    async listSubscriptions(customerId) {
      const { data } = await stripe.subscriptions.list({ customer: customerId, status: "all", limit: 100 });
      return data.map(subscriptionOf);
    },
  };
}

const statusOf = (error: unknown) =>
  error instanceof Stripe.errors.StripeError ? error.statusCode : undefined;

const isKeyInUse = (error: unknown) => statusOf(error) === 409;

/**
 * Whether a providerError is what the provider will answer to the same idempotency key again. One that nobody heard
 * the end of is not: a customer may have been made, and comes of the same key alone.
 */
export const isFinalForKey = ({ cause }: { cause?: unknown }): boolean =>
  statusOf(cause) !== undefined && !isKeyInUse(cause);

/** @throws providerError, with what the provider said as its cause */
async function asked<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw providerError(error);
  }
}

function subscriptionOf(subscription: Stripe.Subscription): ProviderSubscription {
  const items = subscription.items.data;
  // Newer versions of the provider's API have it at the item, older ones at the subscription.
  const end =
    items[0]?.current_period_end ?? (subscription as { current_period_end?: number }).current_period_end;
  return {
    id: subscription.id,
    status: subscription.status,
    priceIds: items.map(({ price }) => price.id),
    currentPeriodEnd: end === undefined ? null : new Date(end * 1000),
    cancelAtPeriodEnd: subscription.cancel_at_period_end,
    createdAt: new Date(subscription.created * 1000),
  };
}
