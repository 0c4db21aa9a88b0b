import { html } from "hono/html";
import { localPages, page, respond, STRICT, time } from "./page.ts";

export type ReceivedMail = {
  id: string;
  /** The address of the From header; the envelope's sender if there is none. */
  from: string;
  /** The envelope's recipients in lower case, including Bcc. */
  to: string[];
  subject: string;
  messageId: string;
  /** The text part; empty if the mail has none. */
  text: string;
  /** The HTML part, not sanitized; empty if the mail has none. */
  html: string;
  receivedAt: Date;
  /** The http and https URLs in the text, in order. */
  links: string[];
  headers: { name: string; value: string }[];
};

/*
 * Shows the inbox in a browser. Mails are untrusted, because an attacker can make the service send any content. So
 * text is escaped, and HTML runs in a sandbox without scripts or an origin. The Content-Security-Policy blocks
 * scripts and requests to other hosts, and the sandboxed document inherits it.
 */

const REFRESH_SECONDS = 3;

// Inline styles are allowed, because mails have them.
const WITH_MAIL = `${STRICT} 'unsafe-inline'`;

/**
 * Returns the request handler of the inbox: pages that show the received mails, and the mails as JSON at
 * `/api/mails`.
 */
export const inboxPage = (mails: readonly ReceivedMail[]) =>
  localPages(async (request, url) => {
    if (!["GET", "HEAD"].includes(request.method)) return respond("Only GET", "text/plain", 405);
    if (url.pathname === "/") return respond(await listPage(mails), "text/html");
    if (url.pathname === "/api/mails") {
      const to = url.searchParams.get("to")?.toLowerCase();
      const shown = to === undefined ? mails : mails.filter((mail) => mail.to.includes(to));
      return respond(JSON.stringify(shown), "application/json");
    }
    const mail = mails.find(({ id }) => url.pathname === `/mails/${id}`);
    if (mail) return respond(await mailPage(mail), "text/html", 200, WITH_MAIL);
    return respond(await missingPage(), "text/html", 404);
  });

const listPage = (mails: readonly ReceivedMail[]) =>
  page(
    mails.length === 0 ? "Inbox" : `Inbox (${mails.length})`,
    html`<meta http-equiv="refresh" content="${REFRESH_SECONDS}">`,
    html`<h1>Inbox</h1>
    ${mails.length === 0 ? html`<p class="quiet">No mail yet. This page refreshes itself.</p>` : ""}
    <ol class="items">${mails.toReversed().map(listItem)}</ol>`,
  );

const listItem = (mail: ReceivedMail) =>
  html`<li><a href="/mails/${mail.id}">
    <span class="subject">${mail.subject || "(no subject)"}</span> ${time(mail.receivedAt)}
    <span class="quiet">${mail.from} → ${mail.to.join(", ")}</span>
  </a></li>`;

const mailPage = (mail: ReceivedMail) =>
  page(
    mail.subject || "(no subject)",
    "",
    html`<p><a href="/">← Inbox</a></p>
    <h1>${mail.subject || "(no subject)"}</h1>
    <dl>
      <dt>From</dt><dd>${mail.from}</dd>
      <dt>To</dt><dd>${mail.to.join(", ")}</dd>
      <dt>Received</dt><dd>${time(mail.receivedAt)}</dd>
    </dl>
    <h2>Text</h2>
    ${mail.text === "" ? html`<p class="quiet">No text part</p>` : html`<pre>${linked(mail)}</pre>`}
    <h2>HTML</h2>
    ${mail.html === "" ? html`<p class="quiet">No HTML part</p>` : frame(mail)}
    <h2>Headers</h2>
    <pre>${mail.headers.map(({ name, value }) => `${name}: ${value}\n`)}</pre>`,
  );

/** Links open in a new window outside of the sandbox, because the frame itself may not open a page. */
const frame = (mail: ReceivedMail) =>
  html`<iframe title="HTML part" sandbox="allow-popups allow-popups-to-escape-sandbox"
    srcdoc="${`<!doctype html><base target="_blank">${mail.html}`}"></iframe>`;

function linked({ text, links }: ReceivedMail) {
  let end = 0;
  const parts = links.map((link) => {
    const start = text.indexOf(link, end);
    const before = text.slice(end, start);
    end = start + link.length;
    return html`${before}<a href="${link}" target="_blank" rel="noopener">${link}</a>`;
  });
  return [...parts, text.slice(end)];
}

const missingPage = () =>
  page(
    "Not here",
    "",
    html`<p><a href="/">← Inbox</a></p><p>This page or mail is not, or no longer, here.</p>`,
  );
