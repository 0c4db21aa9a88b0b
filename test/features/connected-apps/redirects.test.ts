import { expect, test } from "bun:test";
import { AUTHORIZATIONS, insertClient, LOOPBACK, queryOf, REDIRECT, readersOf } from "../../support/apps.ts";
import { createOrganization } from "../../support/organizations.ts";
import { messages } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

/* Redirects of apps: which can be registered, and which of those that are sent is one that was registered. */

const t = await sharedService();
const CLIENTS = "/api/organization/oauth-clients";
const reader = readersOf(t);
const begin = async (clientId: string, redirect: string) =>
  (await reader()).post(AUTHORIZATIONS, { query: queryOf(clientId, { redirect_uri: redirect }) });

const LONGEST = "https://app.example.com/".padEnd(2_048, "a");
const GOOD = [
  "https://claude.ai/api/mcp/auth_callback",
  "https://app.example.com",
  "https://app.example.com:8443/callback?from=here",
  "https://xn--bcher-kva.example/callback",
  "http://localhost/callback",
  "http://localhost:8787/callback",
  "http://127.0.0.1:33418",
  "http://127.0.0.1/?from=here",
  "http://[::1]:8080/callback",
  LONGEST,
];
const BAD = [
  "javascript:alert(1)",
  "data:text/html,hello",
  "cursor://anysphere.cursor-deeplink/callback",
  "http://evil.example/callback",
  "https://host@evil",
  "https://app.example.com@evil.example/callback",
  "https://@app.example.com/callback",
  "https://app.example.com/callback#part",
  "https://app.example.com\\@evil.example/",
  "https:app.example.com/callback",
  "https:///app.example.com/callback",
  "https://APP.example.com/callback",
  "https://bücher.example/callback",
  "https://app.example.com./callback",
  "https://app.example.com/a b",
  "https://app.example.com/\n",
  "https://app.example.com/\u0000",
  "https://localhost/callback",
  "https://app.internal/callback",
  "https://app/callback",
  "https://203.0.113.7/callback",
  "https://[2001:db8::1]/callback",
  "http://localhost.evil.example/callback",
  "http://localhost@evil.example/callback",
  "http://localhost:80@evil.example/callback",
  "http://127.0.0.1:99999/callback",
  "http://127.1/callback",
  "http://0x7f000001/callback",
  "http://127.0.0.2/callback",
  `${LONGEST}a`,
  "",
];

test("an app may be sent back to https with a public name, or http on the person's own computer (46.33, AP08)", async () => {
  const { admin } = await createOrganization(t);
  const made = expectStatus(await admin.post(CLIENTS, { name: "App", redirectUris: GOOD }), 201);
  expect(made.body.redirectUris).toEqual(GOOD);
  const FORM = "must be an https address, or http at localhost, 127.0.0.1 or [::1]";
  for (const bad of BAD) {
    const refused = await admin.post(CLIENTS, { name: "App", redirectUris: [REDIRECT, bad] });
    expect([bad, refused.status]).toEqual([bad, 400]);
    if (!/[\0\n]/.test(bad)) expect(messages(refused)).toEqual([`redirectUris.1 ${FORM}`]);
  }
});

/** Pairs of a declared and a sent redirect that are not one; `http:` on another port of the same computer is. */
const OTHER_REDIRECTS = [
  [REDIRECT, "javascript:alert(1)"],
  [REDIRECT, "http://evil.example/callback"],
  [REDIRECT, "https://agent.example.com@evil.example/callback"],
  [REDIRECT, "https://agent.example.com/callback#x"],
  [REDIRECT, "https://agent.example.com/Callback"],
  [REDIRECT, "https://agent.example.com/callback/"],
  [REDIRECT, "https://agent.example.com//callback"],
  [REDIRECT, "https://agent.example.com/callback?x=1"],
  [REDIRECT, "https://agent.example.com:443/callback"],
  [REDIRECT, "https://agent.example.com:8443/callback"],
  [REDIRECT, "https://sub.agent.example.com/callback"],
  [REDIRECT, "HTTPS://agent.example.com/callback"],
  [REDIRECT, "http://agent.example.com/callback"],
  ["https://agent.example.com", "https://agent.example.com/"],
  ["http://127.0.0.1/callback", "http://localhost:8787/callback"],
  [LOOPBACK, "http://127.0.0.1:8787/callback"],
  [LOOPBACK, "https://localhost/callback"],
  [LOOPBACK, "http://localhost:8787/other"],
  [LOOPBACK, "http://localhost:8787/callback?more=1"],
  [LOOPBACK, "http://localhost:8787/callback/"],
  [LOOPBACK, "http://localhost:8787/x/../callback"],
  [LOOPBACK, "http://localhost:99999999/callback"],
  [LOOPBACK, "http://localhost.evil.example/callback"],
] as const;
const SAME_REDIRECTS = [
  [REDIRECT, REDIRECT],
  [LOOPBACK, LOOPBACK],
  [LOOPBACK, "http://localhost:49153/callback"],
  ["http://localhost:8787/callback", LOOPBACK],
  ["http://127.0.0.1:33418/", "http://127.0.0.1:50123"],
  ["http://127.0.0.1?from=here", "http://127.0.0.1:50123/?from=here"],
  ["http://[::1]/callback", "http://[::1]:50123/callback"],
] as const;

test("a redirect is one of the app's, equal as text but for the port on the person's own computer (46.2, 46.33, AP08, AP09)", async () => {
  const declaring = async (declared: string) =>
    insertClient(t, { redirectUris: ["https://other.example.com/", declared] });
  for (const [declared, sent] of OTHER_REDIRECTS) {
    const { details } = expectStatus(await begin(await declaring(declared), sent), 400).body;
    expect([sent, details.parameter, details.redirectTo]).toEqual([sent, "redirect_uri", null]);
  }
  for (const [declared, sent] of SAME_REDIRECTS) {
    const response = await begin(await declaring(declared), sent);
    const { hostname, protocol } = new URL(sent);
    const shown = { redirectHost: hostname, loopback: protocol === "http:", otherSite: false };
    expect([sent, expectStatus(response, 200).body]).toMatchObject([sent, shown]);
  }
});
