import { expect, test } from "bun:test";
import { gzipSync } from "bun";
import { AppDocuments, endless, type Served } from "../../support/app-documents.ts";
import { AUTHORIZATIONS, approveAs, beginAs, grantsOf, queryOf, readersOf } from "../../support/apps.ts";
import type { ApiResponse, Caller } from "../../support/caller.ts";
import { counter } from "../../support/front-door.ts";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus, startService } from "../../support/service.ts";

/* What documents of apps must say, and how they are read (rules 46.41, 46.42, 46.44). */

const documents = await AppDocuments.start();
const t = await startService({ OAUTH: "on", OAUTH_APPS: "any", METRICS_PORT: "0" });

const reader = readersOf(t);
const begin = async ({ id, redirectUri }: Pick<Served, "id" | "redirectUri">, person?: Caller) =>
  (person ?? (await reader())).post(AUTHORIZATIONS, { query: queryOf(id, { redirect_uri: redirectUri }) });

const withoutId = ({ requestId, ...body }: ApiResponse["body"]) => body;
const UNREADABLE = {
  statusCode: 400,
  code: "INVALID_AUTHORIZATION_REQUEST",
  message: "The app's description could not be read",
  details: { error: "invalid_client", parameter: "client_id", redirectTo: null },
};

/** Checks that the document of each case is refused in the one way, and requested no more than once. */
async function expectUnreadable(cases: Record<string, Served>) {
  await Promise.all(
    Object.entries(cases).map(async ([name, served]) => {
      // As somebody new: of one person, two are fetched at once.
      const response = await begin(served, await t.person());
      expect([name, response.status, withoutId(response.body)]).toEqual([name, 400, UNREADABLE]);
      expect([name, documents.countOf(served)]).toEqual([name, 1]);
    }),
  );
}

test("the request for a document says nothing of the person", async () => {
  const served = documents.publish();
  expectStatus(await begin(served), 200);
  const [request] = documents.requests.filter(({ path }) => served.id.endsWith(path));
  const names = (request?.head ?? "").split("\r\n").map((line) => line.split(":")[0]?.toLowerCase());
  expect(names.slice(1).filter(Boolean).sort()).toEqual([
    "accept",
    "accept-encoding",
    "connection",
    "host",
    "user-agent",
  ]);
});

test("every way to send no document is answered alike (AP25)", async () => {
  const whole = documents.publish().properties;
  const other = documents.publish();
  const big = (bytes: number) => JSON.stringify({ ...whole, filler: "x".repeat(bytes) });
  await expectUnreadable({
    "a redirect": documents.publish({}, { status: 302, headers: { location: other.id } }),
    "404": documents.publish({}, { status: 404 }),
    "500": documents.publish({}, { status: 500 }),
    "203": documents.publish({}, { status: 203 }),
    HTML: documents.publish({}, { headers: { "content-type": "text/html" } }),
    "no type": documents.publish({}, { headers: { "content-type": "" } }),
    "a type that begins like JSON": documents.publish(
      {},
      { headers: { "content-type": "application/jsonp" } },
    ),
    "17 KB": documents.publish({}, { body: big(17 * 1_024) }),
    "a megabyte": documents.publish({}, { body: big(1_024 * 1_024) }),
    "no JSON": documents.publish({}, { body: "{" }),
    "no object": documents.publish({}, { body: "[]" }),
    "no UTF-8": documents.publish({}, { body: new Uint8Array([0x22, 0xff, 0x22]) }),
    "a gzip bomb": documents.publish(
      {},
      { body: gzipSync(new Uint8Array(8 * 1_024 * 1_024)), headers: { "content-encoding": "gzip" } },
    ),
    "headers without end": documents.publish({}, { instead: endless("HTTP/1.1 200 OK\r\n", "X: y\r\n") }),
    "a body without end": documents.publish(
      {},
      { instead: endless("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n", " ") },
    ),
    "interim responses without end": documents.publish(
      {},
      { instead: endless("", "HTTP/1.1 103 E\r\n\r\n") },
    ),
    "a closed connection": documents.publish({}, { instead: (socket) => socket.destroy() }),
    "6 seconds": documents.publish({}, { delayMs: 6_000 }),
  });
  expect(documents.countOf(other)).toBe(0);
});

test("a document that says another thing than an app's is refused (AP25)", async () => {
  const id = (change: (address: string) => string) => {
    const served = documents.publish();
    served.properties.client_id = change(served.id);
    return served;
  };
  const method = "token_endpoint_auth_method";
  const methods = "token_endpoint_auth_methods_supported";
  await expectUnreadable({
    "another slash": id((address) => `${address}/`),
    "another case": id((address) => address.toUpperCase()),
    "an id that is no text": documents.publish({ client_id: 1 }),
    "no id": documents.publish({ client_id: undefined }),
    "a secret": documents.publish({ client_secret: "s3cret" }),
    "an empty secret": documents.publish({ client_secret: "" }),
    "a null secret": documents.publish({ client_secret: null }),
    private_key_jwt: documents.publish({ [method]: "private_key_jwt" }),
    "a secret's method": documents.publish({ [method]: "client_secret_basic" }),
    "private_key_jwt alone": documents.publish({ [methods]: ["private_key_jwt"] }),
    "methods that are no list": documents.publish({ [method]: "private_key_jwt", [methods]: "none" }),
    "no code": documents.publish({ response_types: ["token"] }),
    "no authorization code": documents.publish({ grant_types: ["client_credentials"] }),
    "no redirects": documents.publish({ redirect_uris: undefined }),
    "an empty list of redirects": documents.publish({ redirect_uris: [] }),
    "forbidden redirects alone": documents.publish({
      redirect_uris: [
        "javascript:alert(1)",
        "cursor://callback",
        "http://evil.example/",
        "https://a@evil.example/",
      ],
    }),
    "21 redirects": documents.publish({
      redirect_uris: Array.from({ length: 21 }, (_, at) => `https://agent.example.com/${at}`),
    }),
  });
});

test("documents of public clients are read, whatever else they say (AP25, AP28)", async () => {
  const pages = Object.fromEntries(
    ["logo_uri", "client_uri", "policy_uri", "tos_uri", "jwks_uri", "sector_identifier_uri"].map((name) => [
      name,
      `${documents.origin}/${name}`,
    ]),
  );
  const both = ["none", "private_key_jwt"];
  const supported = "token_endpoint_auth_methods_supported";
  const cases: Record<string, Served> = {
    none: documents.publish({ token_endpoint_auth_method: "none" }),
    "private_key_jwt and none": documents.publish({
      token_endpoint_auth_method: "private_key_jwt",
      [supported]: both,
    }),
    "a list with none": documents.publish({ [supported]: both }),
    "grants and responses": documents.publish({
      grant_types: ["authorization_code", "refresh_token", "x"],
      response_types: ["code", "code id_token"],
    }),
    null: documents.publish({ grant_types: null, response_types: null, token_endpoint_auth_method: null }),
    pages: documents.publish({ ...pages, jwks: { keys: [] }, contacts: [1], scope: "openid" }),
    "a suffix": documents.publish({}, { headers: { "content-type": "application/cimd+json" } }),
    "a parameter": documents.publish({}, { headers: { "content-type": "Application/JSON; charset=utf-8" } }),
    "16 KB": documents.publish(),
    "20 redirects": documents.publish({
      redirect_uris: [
        "https://agent.example.com/callback",
        ...Array.from({ length: 19 }, () => "javascript:alert(1)"),
      ],
    }),
  };
  const full = cases["16 KB"] as Served;
  const text = JSON.stringify(full.properties);
  full.sending.body = text + " ".repeat(16 * 1_024 - text.length);
  for (const [name, served] of Object.entries(cases))
    expect([name, (await begin(served)).status]).toEqual([name, 200]);
  expect(documents.requests.filter(({ path }) => path.endsWith("_uri"))).toEqual([]);
});

test("only redirects of an allowed form are kept (46.42)", async () => {
  const served = documents.publish({
    redirect_uris: ["cursor://callback", "http://localhost/callback", "http://10.0.0.1/callback"],
  });
  const at = (redirectUri: string) => begin({ id: served.id, redirectUri });
  expectStatus(await at("http://localhost:3999/callback"), 200);
  for (const redirectUri of ["cursor://callback", "http://10.0.0.1/callback"])
    expect((await at(redirectUri)).body.details).toMatchObject({
      error: "invalid_request",
      parameter: "redirect_uri",
    });
});

const NAMES: [said: unknown, shown: string][] = [
  ["Ada\u202eedoC", "AdaedoC"],
  ["\u200bCl\u200daude\u2060\ufeff", "Claude"],
  ["Claude\n\tCode\u0000\u007f", "Claude Code"],
  ["\u2066Cursor\u2069\u200f", "Cursor"],
  ["Vis\u{e0041}ual\u00ad Studio", "Visual Studio"],
  ["Ἀθηνᾶ", "Ἀθηνᾶ".normalize("NFC")],
  ["e\u0301lan".normalize("NFD"), "élan"],
  ["x".repeat(100), "x".repeat(100)],
  ["x".repeat(101), "127.0.0.1"],
  [" \u200b\u3164 ", "127.0.0.1"],
  ["", "127.0.0.1"],
  [7, "127.0.0.1"],
  [undefined, "127.0.0.1"],
];

test("the page shows the name that a document says, clean, with the host beside it (AP04, AP28)", async () => {
  for (const [said, shown] of NAMES) {
    const served = documents.publish({ client_name: said });
    const { body } = expectStatus(await begin(served), 200);
    expect(body.client).toEqual({ id: served.id, name: shown, host: "127.0.0.1", source: "document" });
    expect([body.redirectHost, body.loopback]).toEqual(["agent.example.com", false]);
  }
});

test("an approval is of what was shown, also if the document changed meanwhile (46.5, AP16)", async () => {
  const { admin, id: organizationId } = await createOrganization(t);
  const served = documents.publish({ client_name: "Before" });
  const query = queryOf(served.id, { redirect_uri: served.redirectUri });
  const shown = await beginAs(admin, query);
  expect(shown).toMatchObject({
    client: { name: "Before" },
    redirectHost: "agent.example.com",
    otherSite: true,
  });
  Object.assign(served.properties, { client_name: "After", redirect_uris: ["http://127.0.0.1/after"] });
  // What was read stays fresh for a while.
  expect((await beginAs(admin, query)).client.name).toBe("Before");
  await t.age("oauth_client_documents", { url: served.id }, { hours: 1 });
  expect((await begin(served, admin)).body.details.parameter).toBe("redirect_uri");
  const { body } = expectStatus(await approveAs(admin, shown, { organizationId }), 200);
  expect(body.redirectTo).toStartWith(`${served.redirectUri}?`);
  expect(await grantsOf(t, admin)).toMatchObject([
    {
      client_id: served.id,
      client_name: "Before",
      client_host: "127.0.0.1",
      oauth_client_id: null,
      redirect_uri: served.redirectUri,
    },
  ]);
  const redirectUri = "http://127.0.0.1:5000/after";
  const again = expectStatus(await begin({ id: served.id, redirectUri }, admin), 200).body;
  expect(again).toMatchObject({ client: { name: "After" }, loopback: true, otherSite: false });
});

test("outcomes are counted (46.44)", async () => {
  const counts = await counter(t, "oauth_documents_total");
  for (const outcome of ["fetched", "cached", "unreachable", "no_document", "invalid"])
    expect([outcome, counts[`outcome=${outcome}`] ?? 0]).toEqual([outcome, expect.any(Number)]);
  expect(counts["outcome=invalid"]).toBeGreaterThan(10);
  expect(counts["outcome=unreachable"]).toBeGreaterThan(3);
});
