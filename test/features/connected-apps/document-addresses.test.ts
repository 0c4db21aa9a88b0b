import { afterAll, expect, test } from "bun:test";
import { AppDocuments } from "../../support/app-documents.ts";
import { AUTHORIZATIONS, queryOf, readersOf } from "../../support/apps.ts";
import type { Caller } from "../../support/caller.ts";
import { startDns } from "../../support/dns.ts";
import { counter } from "../../support/front-door.ts";
import { type Service, startService } from "../../support/service.ts";

/* Where documents of apps may be fetched (rules 46.40, 46.41; AP26). */

const documents = await AppDocuments.start();
const { port } = documents;
const records = new Map<string, string[] | null>();
const asked = new Map<string, number>();
const dns = await startDns((name) => {
  asked.set(name, (asked.get(name) ?? 0) + 1);
  return records.has(name) ? (records.get(name) ?? null) : [];
});
afterAll(() => dns.stop());

const ADDRESSES = {
  OAUTH: "on",
  METRICS_PORT: "0",
  DNS_SERVERS: dns.server,
  WEBHOOK_PORTS: `443,${port}`,
  APP_URL: "https://app.example.com",
  API_URL: "https://api.example.com",
};
/** As in production: no document is on this machine. */
const t = await startService(ADDRESSES);
/** With a part of this machine as a network of the operator. */
const near = await startService({ ...ADDRESSES, OAUTH_DOCUMENT_NETWORKS: "127.0.0.0/29" });
for (const { running } of [t, near]) (running.app.config as { production: boolean }).production = true;

const readers = new Map([t, near].map((at) => [at, readersOf(at)]));
async function begin(at: Service, id: string) {
  const reader = (await readers.get(at)?.()) as Caller;
  const { status, body } = await reader.post(AUTHORIZATIONS, { query: queryOf(id) });
  const { requestId, ...rest } = body;
  return { status, body: rest };
}
const notAllowed = async (at: Service) =>
  (await counter(at, "oauth_documents_total"))["outcome=not_allowed"] ?? 0;

const UNREADABLE = {
  status: 400,
  body: {
    statusCode: 400,
    code: "INVALID_AUTHORIZATION_REQUEST",
    message: "The app's description could not be read",
    details: { error: "invalid_client", parameter: "client_id", redirectTo: null },
  },
};

const long = (length: number) => `https://agent.example.com/${"a".repeat(length - 26)}`;
const REFUSED = [
  ...["http://agent.example.com/client.json", "https://agent.example.com/", "https://agent.example.com"],
  ...["https://agent.example.com/c?a=b", "https://agent.example.com/c?", "https://agent.example.com/c#"],
  ...[
    "https://agent.example.com/a/../c",
    "https://agent.example.com/./c",
    "https://agent.example.com/%2e%2e/c",
  ],
  ...["https://agent.example.com/%2E/c", "https://a:b@agent.example.com/c", "https://@agent.example.com/c"],
  ...["https://AGENT.example.com/c", "HTTPS://agent.example.com/c", "https://agent.example.com:443/c"],
  ...["https://agent.example.com./c", "https://agent.example.com\\c", " https://agent.example.com/c"],
  ...["https://agent.example.com/é", "https://αβγ.example.com/c", long(2_049)],
  ...["https://127.0.0.1/c", `http://127.0.0.1:${port}/c`, "https://[::1]/c", "https://[::ffff:7f00:1]/c"],
  ...["https://10.0.0.1/c", "https://169.254.169.254/c", "https://[fe80::1]/c", "https://8.8.8.8/c"],
  ...["https://localhost/c", "https://intranet/c", "https://db.internal/c", "https://printer.local/c"],
  ...["https://agent.example.com:22/c", "https://agent.example.com:80/c", "https://agent.example.com:8443/c"],
  ...["https://app.example.com/c", "https://api.example.com/c", `https://api.example.com:${port}/c`],
  ...["javascript:alert(1)", "data:application/json,{}", "ftp://agent.example.com/c", "file:///etc/passwd"],
];

test("an address that may not be one of a document is refused, and its name is not looked up", async () => {
  const before = asked.size;
  for (const id of REFUSED) expect([id, await begin(t, id)]).toEqual([id, UNREADABLE]);
  expect(asked.size).toBe(before);
  expect(await t.sql("SELECT FROM oauth_client_documents")).toEqual([]);
  expect(await notAllowed(t)).toBe(REFUSED.length);
});

const PRIVATE: Record<string, string[] | null> = {
  "loopback.example.com": ["127.0.0.1"],
  "loopback6.example.com": ["::1"],
  "private.example.com": ["10.0.0.5"],
  "metadata.example.com": ["169.254.169.254"],
  "local6.example.com": ["fe80::1"],
  "unique6.example.com": ["fd00::1"],
  "mapped.example.com": ["::ffff:7f00:1"],
  "nat64.example.com": ["64:ff9b::7f00:1"],
  "mixed.example.com": ["93.184.216.34", "127.0.0.1"],
  "zero.example.com": ["0.0.0.0"],
  "nothing.example.com": [],
};

test("a name with any address that is not public is never connected to", async () => {
  const before = await notAllowed(t);
  for (const [name, addresses] of Object.entries(PRIVATE)) {
    records.set(name, addresses);
    const { id } = documents.publish({}, {}, `https://${name}:${port}`);
    expect([name, await begin(t, id)]).toEqual([name, UNREADABLE]);
  }
  expect(documents.connections).toBe(0);
  expect((await notAllowed(t)) - before).toBe(Object.keys(PRIVATE).length);
});

test("a DNS server that is silent ends with the time of the fetch", async () => {
  records.set("silent.example.com", null);
  expect(await begin(t, "https://silent.example.com/client.json")).toEqual(UNREADABLE);
});

test("networks of the operator may have any name, port and http; others keep the rules", async () => {
  records.set("agent.corp.example", ["127.0.0.1"]);
  records.set("agents", ["127.0.0.1"]);
  for (const host of ["agent.corp.example", "agents", "127.0.0.1"]) {
    const { id } = documents.publish({}, {}, `http://${host}:${port}`);
    const { status, body } = await begin(near, id);
    expect([host, status, body.client?.host]).toEqual([host, 200, host]);
  }
  records.set("outside.example.com", ["93.184.216.34"]);
  records.set("outside", ["93.184.216.34"]);
  records.set("half.example.com", ["127.0.0.1", "10.0.0.1"]);
  records.set("app.example.com", ["127.0.0.1"]);
  const outside = [
    `http://127.0.0.9:${port}/c`,
    "http://outside.example.com/c",
    "https://outside.example.com:22/c",
    "https://outside/c",
    `http://half.example.com:${port}/c`,
    "https://app.example.com/c",
  ];
  const { connections } = documents;
  const before = await notAllowed(near);
  for (const id of outside) expect([id, await begin(near, id)]).toEqual([id, UNREADABLE]);
  expect(documents.connections).toBe(connections);
  expect((await notAllowed(near)) - before).toBe(outside.length);
});

test("the address that was checked is the one connected to, whatever DNS says later (DNS rebinding)", async () => {
  const name = "rebind.example.com";
  records.set(name, ["127.0.0.1"]);
  const served = documents.publish({}, {}, `http://${name}:${port}`);
  const { status } = await begin(near, served.id);
  expect(status).toBe(200);
  // A and AAAA are asked for once each.
  expect(asked.get(name)).toBe(2);
  expect(documents.requests.at(-1)?.head).toContain(`host: ${name}:${port}`);
  await near.age("oauth_client_documents", { url: served.id }, { days: 1 });
  records.set(name, ["127.0.0.99"]);
  expect(await begin(near, served.id)).toEqual(UNREADABLE);
  expect(documents.countOf(served)).toBe(1);
});
