import { html } from "hono/html";

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
 * Shows the inbox in a browser. An attacker can make the service send any content, so mails are untrusted. Text is
 * escaped. HTML runs in a sandbox without scripts or an origin. The Content-Security-Policy blocks scripts and
 * requests to other hosts, and the sandboxed document inherits it.
 */

const REFRESH_SECONDS = 3;

const NOWHERE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const STRICT = `${NOWHERE}; img-src data:; style-src 'self'`;
// Mails have inline styles.
const WITH_MAIL = `${STRICT} 'unsafe-inline'`;

/** Returns a request handler that shows the current content of the list. */
export function inboxPage(mails: readonly ReceivedMail[]): (request: Request) => Promise<Response> {
  return async (request) => {
    const url = new URL(request.url);
    // Protects against DNS rebinding: a page of another host must not read links that sign people in.
    if (!["127.0.0.1", "localhost"].includes(url.hostname))
      return answer("Unknown host", "text/plain", STRICT, 421);
    if (!["GET", "HEAD"].includes(request.method)) return answer("Only GET", "text/plain", STRICT, 405);

    if (url.pathname === "/") return answer(await listPage(mails), "text/html", STRICT);
    if (url.pathname === "/style.css") return answer(STYLE, "text/css", STRICT);
    if (url.pathname === "/api/mails") {
      const to = url.searchParams.get("to")?.toLowerCase();
      const shown = to === undefined ? mails : mails.filter((mail) => mail.to.includes(to));
      return answer(JSON.stringify(shown), "application/json", STRICT);
    }
    const mail = mails.find(({ id }) => url.pathname === `/mails/${id}`);
    if (mail) return answer(await mailPage(mail), "text/html", WITH_MAIL);
    return answer(await missingPage(), "text/html", STRICT, 404);
  };
}

function answer(body: string, type: string, policy: string, status = 200): Response {
  return new Response(body, {
    status,
    headers: {
      "content-type": `${type}; charset=utf-8`,
      "content-security-policy": policy,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    },
  });
}

const listPage = (mails: readonly ReceivedMail[]) =>
  page(
    mails.length === 0 ? "Inbox" : `Inbox (${mails.length})`,
    html`<meta http-equiv="refresh" content="${REFRESH_SECONDS}">`,
    html`<h1>Inbox</h1>
    ${mails.length === 0 ? html`<p class="quiet">No mail yet. This page refreshes itself.</p>` : ""}
    <ol class="mails">${mails.toReversed().map(listItem)}</ol>`,
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

/** Links open in a new window outside the sandbox, because the frame itself may not open a page. */
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

const time = (at: Date) =>
  html`<time datetime="${at.toISOString()}">${at.toLocaleString("sv-SE", { hour12: false })}</time>`;

type Html = ReturnType<typeof html>;

const page = async (title: string, head: Html | "", body: Html) =>
  (
    await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/style.css">
<link rel="icon" href="data:,">
${head}
</head>
<body>
${body}
</body>
</html>`
  ).toString();

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#ddd, #3a3a3a); --quiet: light-dark(#666, #999); }
body { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
h2 { margin: 2rem 0 .5rem; font-size: .85rem; color: var(--quiet); }
a { color: light-dark(#0b57d0, #8ab4f8); }
.quiet, time, dt { color: var(--quiet); }
.mails { margin: 0; padding: 0; list-style: none; border-top: 1px solid var(--line); }
.mails li { border-bottom: 1px solid var(--line); }
.mails a { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .6rem .25rem; }
.mails a { color: inherit; text-decoration: none; }
.mails a:hover { background: light-dark(#f3f6fc, #23272e); }
.mails .subject { flex: 1; font-weight: 600; overflow-wrap: anywhere; }
.mails .quiet { flex-basis: 100%; overflow-wrap: anywhere; }
time { font-variant-numeric: tabular-nums; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
pre, iframe { box-sizing: border-box; border: 1px solid var(--line); border-radius: .4rem; }
pre { padding: 1rem; white-space: pre-wrap; overflow-wrap: anywhere; }
iframe { width: 100%; height: 60vh; background: white; resize: vertical; }
`;
