/*
 * Returns the page to which the browser returns after third-party sign-in. In development there is no client with
 * such a page. It shows the URL fragment, which no server receives, and the account that signed in.
 */

const PAGE = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Back from the provider</title>
<link rel="icon" href="data:,">
<style>body{font:16px system-ui;max-width:40rem;margin:4rem auto;padding:0 1rem}pre{white-space:pre-wrap;overflow-wrap:anywhere}</style>
<h1>Back from the provider</h1>
<p>A client would go on from here with what the fragment of this address holds:</p>
<pre id="outcome"></pre>
<p id="next"></p>
<pre id="profile"></pre>
<script src="/auth/callback.js"></script></html>`;

const SCRIPT = `const outcome = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
const show = (id, text) => { document.getElementById(id).textContent = text; };
const next = {
  token: "Signed in. GET /api/profile with this access token says:",
  challenge: "The second factor is on: send this with a code to POST /api/auth/2fa/verify within 5 minutes.",
  linked: "Linked. GET /api/profile/identities lists it.",
  error: "Not signed in, and nothing was changed.",
};
show("outcome", JSON.stringify(outcome, null, 2));
show("next", next[Object.keys(outcome)[0]] ?? "Nothing arrived. Begin at /api/auth/oidc/demo.");
if (outcome.token) {
  fetch("/api/profile", { headers: { authorization: "Bearer " + outcome.token } })
    .then((response) => response.json())
    .then((profile) => show("profile", JSON.stringify(profile, null, 2)));
}
`;

const CSP =
  "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:; style-src 'unsafe-inline'";

const page = (text: string, type: string) => () =>
  new Response(text, {
    headers: {
      "content-type": `${type}; charset=utf-8`,
      "content-security-policy": `${CSP}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
  });

/** The pages that stand in for a product's own client, by path. */
export const clientPages = {
  "/auth/callback": page(PAGE, "text/html"),
  "/auth/callback.js": page(SCRIPT, "text/javascript"),
};
