import { html } from "hono/html";
import { localPages, NOWHERE_BUT_FORMS, page, respond, time } from "./page.ts";

export type ReceivedWebhook = {
  id: string;
  receivedAt: Date;
  path: string;
  /** `valid`, or the reason why the signature was not accepted. */
  signature: string;
  /** The status with which the receiver responded. */
  status: number;
  headers: Record<string, string>;
  /** The body of the webhook as it was received. */
  payload: string;
};

type State = {
  received: readonly ReceivedWebhook[];
  /** The number of next webhooks to which the receiver responds with an error. */
  failures: () => number;
  failNext: (n: number) => void;
};

const REFRESH_SECONDS = 3;

/**
 * Returns a request handler for the page that shows the received webhooks, and on which the receiver can be made to
 * fail.
 */
export const receiverPage = ({ received, failures, failNext }: State) =>
  localPages(async (request, url) => {
    if (request.method === "POST" && url.pathname === "/fail") {
      failNext(Number(url.searchParams.get("next") ?? 1) || 0);
      return new Response(null, { status: 303, headers: { location: "/" } });
    }
    if (!["GET", "HEAD"].includes(request.method)) return respond("Only GET", "text/plain", 405);
    if (url.pathname === "/")
      return respond(await listPage(received, failures()), "text/html", 200, NOWHERE_BUT_FORMS);
    if (url.pathname === "/api/webhooks") {
      const type = url.searchParams.get("type");
      const shown = received.filter((webhook) => type === null || typeOf(webhook) === type);
      return respond(JSON.stringify(shown.map(withEvent)), "application/json");
    }
    const webhook = received.find(({ id }) => url.pathname === `/webhooks/${id}`);
    if (webhook) return respond(await webhookPage(webhook), "text/html");
    return respond("Not found", "text/plain", 404);
  });

const listPage = (received: readonly ReceivedWebhook[], failures: number) =>
  page(
    received.length === 0 ? "Webhooks" : `Webhooks (${received.length})`,
    html`<meta http-equiv="refresh" content="${REFRESH_SECONDS}">`,
    html`<h1>Webhooks</h1>
    <form method="post">
      ${failures > 0 ? html`The next ${failures === Infinity ? "ones fail" : `${failures} fail`}.` : ""}
      <button formaction="/fail?next=1">Fail the next one</button>
      <button formaction="/fail?next=Infinity">Fail all</button>
      <button formaction="/fail?next=0">Accept all</button>
    </form>
    ${received.length === 0 ? html`<p class="quiet">No webhook yet. Create a unit in Acme. This page refreshes itself.</p>` : ""}
    <ol class="items">${received.toReversed().map(listItem)}</ol>`,
  );

const listItem = (webhook: ReceivedWebhook) =>
  html`<li><a href="/webhooks/${webhook.id}">
    <span class="subject">${typeOf(webhook)}</span> ${time(webhook.receivedAt)}
    <span class="quiet">signature: ${webhook.signature} · response: ${webhook.status}</span>
  </a></li>`;

const webhookPage = (webhook: ReceivedWebhook) =>
  page(
    typeOf(webhook),
    "",
    html`<p><a href="/">← Webhooks</a></p>
    <h1>${typeOf(webhook)}</h1>
    <dl>
      <dt>Received</dt><dd>${time(webhook.receivedAt)}</dd>
      <dt>Path</dt><dd>${webhook.path}</dd>
      <dt>Signature</dt><dd>${webhook.signature}</dd>
      <dt>Response</dt><dd>${webhook.status}</dd>
    </dl>
    <h2>Payload</h2>
    <pre>${JSON.stringify(withEvent(webhook).payload, null, 2)}</pre>
    <h2>Headers</h2>
    <pre>${Object.entries(webhook.headers).map(([name, value]) => `${name}: ${value}\n`)}</pre>`,
  );

function parsed({ payload }: ReceivedWebhook): { type?: unknown } | null {
  try {
    return JSON.parse(payload);
  } catch {
    return null;
  }
}

const withEvent = (webhook: ReceivedWebhook) => ({ ...webhook, payload: parsed(webhook) ?? webhook.payload });

const typeOf = (webhook: ReceivedWebhook) => String(parsed(webhook)?.type ?? "(no event)");
