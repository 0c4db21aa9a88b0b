export type Subscription = {
  id: string;
  object: "subscription";
  customer: string;
  status: string;
  created: number;
  billing_mode: { type: "classic" | "flexible" };
  /** When the subscription ends by itself. */
  cancel_at: number | null;
  cancel_at_period_end: boolean;
  pause_collection: {
    behavior: "keep_as_draft" | "mark_uncollectible" | "void";
    resumes_at: number | null;
  } | null;
  items: { object: "list"; has_more?: boolean; data: SubscriptionItem[] };
};
export type SubscriptionItem = { id: string; price: { id: string }; current_period_end: number };

/** Serves the pages of the mock payment provider: plain forms. */

const page = (title: string, body: string) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${Bun.escapeHTML(title)}</title>
<style>body{font:16px system-ui;max-width:32rem;margin:4rem auto;padding:0 1rem}button{font:inherit;padding:.5rem 1rem}</style>
<h1>${Bun.escapeHTML(title)}</h1>${body}</html>`;

/** Returns the checkout page. */
export const checkoutPage = ({ priceId, cancelUrl }: { priceId: string; cancelUrl: string }) =>
  page(
    "Payment stand-in",
    `<p>To pay: <b>${Bun.escapeHTML(priceId)}</b>. No money moves.</p>
<form method="post"><button>Pay</button> <a href="${Bun.escapeHTML(cancelUrl)}">Cancel</a></form>`,
  );

/** Each button of the portal, with the change of a subscription that it makes. */
export const PORTAL_ACTIONS: Readonly<
  Record<string, { label: string; change: (subscription: Subscription) => Partial<Subscription> }>
> = {
  cancel: { label: "Cancel the subscription", change: () => ({ status: "canceled" }) },
  end: {
    label: "End the subscription with the paid period",
    change: ({ items }) => ({ cancel_at: items.data[0]?.current_period_end ?? null }),
  },
  pause: {
    label: "Pause payments",
    change: () => ({ pause_collection: { behavior: "void", resumes_at: null } }),
  },
  resume: { label: "Resume", change: () => ({ cancel_at: null, pause_collection: null }) },
};

/** Returns the page of the customer portal. */
export const portalPage = (customer: string, subscriptions: Subscription[], returnUrl: string) =>
  page(
    "Customer portal stand-in",
    `<ul>${subscriptions
      .map(
        ({ items, status }) =>
          `<li>${Bun.escapeHTML(items.data[0]?.price.id ?? "")}: ${Bun.escapeHTML(status)}</li>`,
      )
      .join("")}</ul>
${Object.entries(PORTAL_ACTIONS)
  .map(
    ([
      action,
      { label },
    ]) => `<form method="post" action="/portal/${Bun.escapeHTML(customer)}/${action}?return=${encodeURIComponent(returnUrl)}">
<button>${label}</button></form>`,
  )
  .join("\n")}
<a href="${Bun.escapeHTML(returnUrl)}">Back</a>`,
  );

/** Returns links to the pages that a client would show. */
export const donePage = (what: string, returnUrl: string) =>
  page(
    what,
    `<p>Now the provider leads back to the client: <a href="${Bun.escapeHTML(returnUrl)}">${Bun.escapeHTML(returnUrl)}</a></p>`,
  );
