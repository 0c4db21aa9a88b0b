export type Subscription = {
  id: string;
  object: "subscription";
  customer: string;
  status: string;
  created: number;
  cancel_at_period_end: boolean;
  items: { object: "list"; data: { id: string; price: { id: string }; current_period_end: number }[] };
};

/** Serves the pages of the mock payment provider: plain forms. */

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const page = (title: string, body: string) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title>
<style>body{font:16px system-ui;max-width:32rem;margin:4rem auto;padding:0 1rem}button{font:inherit;padding:.5rem 1rem}</style>
<h1>${escaped(title)}</h1>${body}</html>`;

/** Returns the checkout page. */
export const checkoutPage = ({ priceId, cancelUrl }: { priceId: string; cancelUrl: string }) =>
  page(
    "Payment stand-in",
    `<p>To pay: <b>${escaped(priceId)}</b>. No money moves.</p>
<form method="post"><button>Pay</button> <a href="${escaped(cancelUrl)}">Cancel</a></form>`,
  );

/** Returns the page of the customer portal. */
export const portalPage = (customer: string, subscriptions: Subscription[], returnUrl: string) =>
  page(
    "Customer portal stand-in",
    `<ul>${subscriptions
      .map(({ items, status }) => `<li>${escaped(items.data[0]?.price.id ?? "")}: ${escaped(status)}</li>`)
      .join("")}</ul>
<form method="post" action="/portal/${escaped(customer)}/cancel?return=${encodeURIComponent(returnUrl)}">
<button>Cancel the subscription</button> <a href="${escaped(returnUrl)}">Back</a></form>`,
  );

/** Returns links to the pages that a client would show. */
export const donePage = (what: string, returnUrl: string) =>
  page(
    what,
    `<p>Now the provider leads back to the client: <a href="${escaped(returnUrl)}">${escaped(returnUrl)}</a></p>`,
  );
