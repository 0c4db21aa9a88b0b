import { migrateAll } from "../../../src/app/migrate.ts";
import { startInbox } from "../../../src/dev/inbox.ts";
import { createDatabase, startPostgres } from "../../../src/dev/postgres.ts";
import { spawnInstances, until } from "../../support/cluster.ts";
import { environmentFor } from "../../support/environment.ts";
import { runLoad } from "./load.ts";
import { cpuSeconds, kilobytes } from "./proc.ts";

/**
 * `bun test/proof/bench/tracing.ts`: measures the CPU time per request of instances with tracing, relative to one
 * without, in turns on one database. Also measures the memory of each instance.
 */
const ROUNDS = 29;
const ROUND_MS = 300;
const CLIENTS = 8;

let bytes = 0;
const collector = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    bytes += (await request.arrayBuffer()).byteLength;
    return Response.json({});
  },
});
const postgres = await startPostgres({ dataDir: null, settings: { fsync: "off" } });
const inbox = await startInbox({ webPort: null });
const databaseUrl = await createDatabase(postgres.url, "tracing");
await migrateAll(databaseUrl);
const environment = environmentFor(databaseUrl, inbox.smtpPort);
const OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${collector.port}`;
const SETTINGS = {
  "without tracing": {},
  "every trace": { OTEL_EXPORTER_OTLP_ENDPOINT },
  "5 % of the traces": {
    OTEL_EXPORTER_OTLP_ENDPOINT,
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.05",
  },
};
const instances = await Promise.all(
  Object.entries(SETTINGS).map(async ([name, own]) => {
    const [instance] = await spawnInstances(1, { ...environment, ...own });
    if (instance === undefined) throw new Error("No instance");
    return { name, instance, idle: kilobytes(instance.pid) };
  }),
);
const [{ instance: plain }] = instances as [(typeof instances)[0]];

async function post(path: string, body: unknown, token = "") {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const response = await fetch(plain.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response;
}
const account = { email: "ada@example.com", password: "wide blue yonder" };
await post("/api/auth/register", { ...account, firstName: "Ada", lastName: "Lovelace" });
const link = await until(() => inbox.mailsTo(account.email)[0]?.links[0] ?? null);
await post("/api/auth/verify-email", { token: new URL(link).searchParams.get("token") });
const { accessToken } = (await (await post("/api/auth/login", account)).json()) as { accessToken: string };

const common = `Host: a\r\nAuthorization: Bearer ${accessToken}\r\n`;
const body = JSON.stringify({ firstName: "Ada", lastName: "Byron" });
const REQUESTS = {
  "GET /api/profile, one statement": `GET /api/profile HTTP/1.1\r\n${common}\r\n`,
  "PATCH /api/profile, a transaction": `PATCH /api/profile HTTP/1.1\r\n${common}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
};
const median = (values: number[]) => values.sort((one, other) => one - other)[values.length >> 1] ?? 0;

for (const [work, text] of Object.entries(REQUESTS)) {
  const ratios = new Map<string, number[]>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const cost = new Map<string, number>();
    for (const { name, instance } of round % 2 === 0 ? instances : instances.toReversed()) {
      const before = cpuSeconds(instance.pid);
      const clients = Array.from({ length: CLIENTS }, () => ({ next: () => text }));
      const { requests } = await runLoad(instance.url, clients, ROUND_MS);
      cost.set(name, (cpuSeconds(instance.pid) - before) / requests);
    }
    // The first rounds only warm up.
    if (round > 8)
      for (const [name, one] of cost)
        ratios.set(name, [...(ratios.get(name) ?? []), one / (cost.get("without tracing") ?? 0)]);
  }
  for (const [name, all] of ratios) console.log(`${work}, ${name}: CPU ${median(all).toFixed(2)}`);
}
for (const { name, instance, idle } of instances)
  console.log(
    `${name}: ${(idle / 1000).toFixed(0)} MB idle, ${(kilobytes(instance.pid) / 1000).toFixed(0)} after`,
  );
console.log(`${(bytes / 1e6).toFixed(1)} MB of spans`);
await Promise.all(instances.map(({ instance }) => instance.stop()));
await inbox.stop();
await postgres.stop();
await collector.stop(true);
