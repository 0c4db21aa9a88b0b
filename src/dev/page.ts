import { html } from "hono/html";

export type Html = ReturnType<typeof html>;

const NOWHERE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
export const LOCAL_HOSTS = ["127.0.0.1", "localhost"];

/** The Content-Security-Policy of a page without scripts and forms. */
export const STRICT = `${NOWHERE}; img-src data:; style-src 'self'`;

/** The Content-Security-Policy of a page with forms and without scripts. */
export const NOWHERE_BUT_FORMS = STRICT.replace("form-action 'none'", "form-action 'self'");

/**
 * Wraps the handler of a page that shows data sent by others. Protects against DNS rebinding, by which a page of
 * another host could read it.
 */
export const localPages =
  (handle: (request: Request, url: URL) => Response | Promise<Response>) =>
  async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    if (!LOCAL_HOSTS.includes(url.hostname)) return respond("Unknown host", "text/plain", 421);
    return url.pathname === "/style.css" ? respond(STYLE, "text/css") : handle(request, url);
  };

export function respond(body: string, type: string, status = 200, policy = STRICT): Response {
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

export const time = (at: Date) =>
  html`<time datetime="${at.toISOString()}">${at.toLocaleString("sv-SE", { hour12: false })}</time>`;

export const page = async (title: string, head: Html | "", body: Html) =>
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

export const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#ddd, #3a3a3a); --quiet: light-dark(#666, #999); }
body { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
h2 { margin: 2rem 0 .5rem; font-size: .85rem; color: var(--quiet); }
a { color: light-dark(#0b57d0, #8ab4f8); }
.quiet, time, dt { color: var(--quiet); }
.items { margin: 0; padding: 0; list-style: none; border-top: 1px solid var(--line); }
.items li { border-bottom: 1px solid var(--line); }
.items a { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .6rem .25rem; }
.items a { color: inherit; text-decoration: none; }
.items a:hover { background: light-dark(#f3f6fc, #23272e); }
.items .subject { flex: 1; font-weight: 600; overflow-wrap: anywhere; }
.items .quiet { flex-basis: 100%; overflow-wrap: anywhere; }
time { font-variant-numeric: tabular-nums; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
pre, iframe { box-sizing: border-box; border: 1px solid var(--line); border-radius: .4rem; }
pre { padding: 1rem; white-space: pre-wrap; overflow-wrap: anywhere; }
iframe { width: 100%; height: 60vh; background: white; resize: vertical; }
`;
