import { afterAll, expect, test } from "bun:test";
import { startDns } from "../../support/dns.ts";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { createEndpoint, deliver, deliveriesOf, ENDPOINTS, startReceiver } from "../../support/webhooks.ts";

/** Production's rules of addresses: only https, no networks of the operator. */
const t = await startService({ APP_URL: "https://app.example.com", API_URL: "https://api.example.com" });
/** With the test's own machine as a network of the operator. */
const local = await startService({ WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/29" });

const records = new Map<string, string[] | null>();
const dns = await startDns((name) => (records.has(name) ? (records.get(name) ?? null) : []));
afterAll(() => dns.stop());
const names = { dnsServers: [dns.server] };
const config = (t as { running: { app: { config: { webhookRequiresTls: boolean } } } }).running.app.config;

const REFUSED = [
  ...[
    "http://127.0.0.1/",
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0177.0.0.1/",
  ],
  ...["https://127.1/", "https://0/", "https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://[fe80::1]/"],
  ...[
    "https://0x7f.1/",
    "https://017700000001/",
    "https://127.0.0.1./",
    "https://１２７.0.0.1/",
    "https://127。0。0。1/",
  ],
  ...[
    "https://%31%32%37.0.0.1/",
    "https://0xa9fea9fe/",
    "https://[::ffff:a9fe:a9fe]/",
    "https://[fe80::1%25eth0]/",
  ],
  ...[
    "https://[64:ff9b::7f00:1]/",
    "https://[2002:7f00:1::1]/",
    "https://[::127.0.0.1]/",
    "https://[0:0:0:0:0:0:0:1]/",
  ],
  ...[
    "https://8.8.8.8/",
    "https://[2606:4700::1]/",
    "https://localhost/",
    "https://localhost./",
    "https://a.localhost/",
  ],
  ...[
    "https://intranet/",
    "https://printer.local/",
    "https://db.internal/",
    "https://nas.home.arpa/",
    "https://a.local./",
  ],
  ...[
    "https://app.example.com/hook",
    "https://API.example.com./hook",
    "https://user:pass@example.com/",
    "https://example.com/#a",
  ],
  ...[
    "https://example.com:22/",
    "https://example.com:5432/",
    "https://example.com:80/",
    "ftp://example.com/",
    "example.com",
  ],
  ...[
    "javascript:alert(1)",
    "https://",
    "",
    " https://example.com/",
    "https://exa mple.com/",
    `https://example.com/${"a".repeat(2048)}`,
  ],
];

test("an address that is no public https address is 400, in every notation", async () => {
  const org = await createOrganization(t);
  for (const url of REFUSED) {
    const { body, status } = await org.admin.post(ENDPOINTS, { url, eventTypes: ["todo.created"] });
    expect([url, status]).toEqual([url, 400]);
    if (url.length <= 2048 && url !== "")
      expect(body.errors).toEqual([{ path: "url", message: "url must be a public https address" }]);
  }
  const { id } = expectStatus(
    await org.admin.post(ENDPOINTS, { url: "https://example.com/a?b=c", eventTypes: ["*"] }),
    201,
  ).body;
  expectStatus(await org.admin.patch(`${ENDPOINTS}/${id}`, { url: "https://169.254.169.254/" }), 400);
});

test("http is refused in production", () => {
  config.webhookRequiresTls = true;
  return createOrganization(t).then(async (org) => {
    expectStatus(await org.admin.post(ENDPOINTS, { url: "http://example.com/", eventTypes: ["*"] }), 400);
    config.webhookRequiresTls = false;
  });
});

const PRIVATE: Record<string, string[]> = {
  "metadata.example.com": ["169.254.169.254"],
  "database.example.com": ["127.0.0.1"],
  "private.example.com": ["10.0.0.5"],
  "mixed.example.com": ["93.184.216.34", "192.168.0.1"],
  "mixed6.example.com": ["93.184.216.34", "fd00::1"],
  "loopback6.example.com": ["::1"],
  "mapped.example.com": ["::ffff:7f00:1"],
  "nat64.example.com": ["64:ff9b::7f00:1"],
  "sixtofour.example.com": ["2002:7f00:1::1"],
  "teredo.example.com": ["2001:0:4136:e378:8000:63bf:80ff:fffe"],
  "zero.example.com": ["0.0.0.0"],
};

test("a name with any record that is not public is never connected to, and nothing of it is shown", async () => {
  for (const [name, addresses] of Object.entries(PRIVATE)) {
    records.set(name, addresses);
    const org = await createOrganization(t);
    const endpoint = await createEndpoint(org.admin, `https://${name}/`);
    expectStatus(await org.admin.post("/api/todos", { title: "a" }), 201);
    await deliver(t, names);
    const [delivery] = (await deliveriesOf(org.admin, endpoint)).data;
    expect([name, delivery.lastAttempt]).toMatchObject([
      name,
      { status: null, error: "ADDRESS_NOT_ALLOWED", responseExcerpt: null },
    ]);
  }
});

test("a name without records, and one whose server does not respond, is DNS_FAILED", async () => {
  records.set("silent.example.com", null);
  for (const name of ["nothing.example.com", "silent.example.com"]) {
    const org = await createOrganization(t);
    const endpoint = await createEndpoint(org.admin, `https://${name}/`);
    expectStatus(await org.admin.post("/api/todos", { title: "a" }), 201);
    await deliver(t, names);
    const [delivery] = (await deliveriesOf(org.admin, endpoint)).data;
    expect([name, delivery.lastAttempt.error]).toEqual([name, "DNS_FAILED"]);
  }
});

test("the address that was checked is the one connected to, whatever DNS says later (DNS rebinding)", async () => {
  const receiver = startReceiver();
  const { port } = new URL(receiver.url);
  let asked = 0;
  const rebinding = await startDns((name) => {
    if (name !== "rebind.example.com") return [];
    asked += 1;
    // A and AAAA are asked for once each; every later response is outside of the allowed network.
    return asked <= 2 ? ["127.0.0.1"] : ["127.0.0.99"];
  });
  const org = await createOrganization(local);
  const endpoint = await createEndpoint(org.admin, `http://rebind.example.com:${port}/`);
  expectStatus(await org.admin.post("/api/todos", { title: "a" }), 201);
  await deliver(local, { dnsServers: [rebinding.server] });
  expect(receiver.received).toHaveLength(1);
  expect(receiver.received[0]?.headers.get("host")).toBe(`rebind.example.com:${port}`);
  expect(asked).toBe(2);
  expectStatus(await org.admin.post(`${endpoint.path}/test`), 202);
  await deliver(local, { dnsServers: [rebinding.server] });
  expect(receiver.received).toHaveLength(1);
  const [delivery] = (await deliveriesOf(org.admin, endpoint)).data;
  expect(delivery.lastAttempt.error).toBe("ADDRESS_NOT_ALLOWED");
  rebinding.stop();
  receiver.stop();
});

test("with allowed networks, a name of one allowed and one private address is refused, and literals inside register", async () => {
  const org = await createOrganization(local);
  records.set("half.example.com", ["127.0.0.1", "10.0.0.1"]);
  const endpoint = await createEndpoint(org.admin, "http://half.example.com:9/");
  expectStatus(await org.admin.post("/api/todos", { title: "a" }), 201);
  await deliver(local, names);
  expect((await deliveriesOf(org.admin, endpoint)).data[0].lastAttempt.error).toBe("ADDRESS_NOT_ALLOWED");
  const outside = ["http://127.0.0.9/", "http://10.0.0.1/", "http://[::1]/", "http://169.254.169.254/"];
  const written = [
    "http://0x7f000009/",
    "http://017700000011/",
    "http://2130706441/",
    "http://[::ffff:7f00:9]/",
  ];
  for (const url of [...outside, ...written, "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::1]/"])
    expectStatus(await org.admin.post(ENDPOINTS, { url, eventTypes: ["*"] }), 400);
  expectStatus(await org.admin.post(ENDPOINTS, { url: "http://127.0.0.3:5432/", eventTypes: ["*"] }), 201);
});

test("secrets, and path and query of addresses, are in no audit event and nowhere in the database in clear", async () => {
  const org = await createOrganization(t);
  const endpoint = await createEndpoint(org.admin, "https://hooks.example.com/p4th?token=qu3ry");
  expectStatus(await org.admin.post(`${endpoint.path}/rotate-secret`, {}), 200);
  expectStatus(await org.admin.delete(endpoint.path), 204);
  const { data } = (await org.admin.get("/api/organization/audit-events?pageSize=100")).body;
  const text = JSON.stringify(data);
  expect(text).toContain("hooks.example.com");
  for (const secret of ["p4th", "qu3ry", endpoint.secret.slice(6)]) expect(text).not.toContain(secret);
  const rows = await t.sql(
    "SELECT secret, previous_secret FROM webhook_endpoints UNION ALL SELECT data::text, NULL FROM event_outbox",
  );
  expect(JSON.stringify(rows)).not.toContain(endpoint.secret.slice(6));
});

test("WEBHOOK_ALLOWED_NETWORKS refuses /0 and link-local ranges at the start", async () => {
  const { readConfig } = await import("../../../src/app/config.ts");
  const { environmentFor } = await import("../../support/environment.ts");
  const problems = (networks: string) =>
    readConfig({
      ...environmentFor("postgres://user@localhost/service", 25),
      WEBHOOK_ALLOWED_NETWORKS: networks,
    }).problems;
  for (const bad of [
    "0.0.0.0/0",
    "::/0",
    "169.254.0.0/16",
    "160.0.0.0/3",
    "fe80::/10",
    "::ffff:169.254.0.0/112",
    "x",
  ])
    expect(problems(bad)?.[0]).toContain("WEBHOOK_ALLOWED_NETWORKS must be");
  expect(problems("10.0.0.0/8,fd00::/8,127.0.0.1")).toBeNull();
});
