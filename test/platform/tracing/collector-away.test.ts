import { expect, test } from "bun:test";
import { join } from "node:path";
import { startService } from "../../support/service.ts";
import { startCollector } from "../../support/spans.ts";

const t = await startService();
/** A port on which no server listens. */
const nobody = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
const away = `http://127.0.0.1:${nobody.port}`;
await nobody.stop(true);

test("an unreachable OpenTelemetry collector fails no request and is logged once", async () => {
  const [instance] = await t.cluster(1, { OTEL_EXPORTER_OTLP_ENDPOINT: away });
  if (instance === undefined) throw new Error("No instance");
  const caller = (await t.person()).at(instance.url);
  // The number of requests: more than an export batch holds, so that one batch is exported at once.
  for (let round = 0; round < 6; round += 1)
    await Promise.all(
      Array.from({ length: 50 }, async () => expect((await caller.get("/api/profile")).status).toBe(200)),
    );
  await instance.stop();
  const lines = instance.log().filter((line) => line.includes("spans cannot be exported"));
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "{}")).toMatchObject({ level: "warn" });
});

/** Counts the OpenTelemetry modules that an instance has loaded after its first response. */
async function modulesLoaded(environment: Record<string, string>): Promise<number> {
  const program = `
    const { readConfig } = await import("./src/app/config.ts");
    const { startServer } = await import("./src/app/server.ts");
    const { config } = readConfig(process.env);
    const running = await startServer(config);
    await running.app.jobs.whenRunning();
    await fetch(running.url + "/api/auth/login", { method: "POST" });
    console.log("modules", Object.keys(require.cache).filter((path) => path.includes("@opentelemetry")).length);
    await running.stop();
    process.exit(0);`;
  const child = Bun.spawn(["bun", "-e", program], {
    cwd: join(import.meta.dir, "../../.."),
    env: { PATH: process.env.PATH, ...t.environment, ...environment },
    stdout: "pipe",
  });
  return Number(/^modules (\d+)$/m.exec(await new Response(child.stdout).text())?.[1]);
}

test("without OTEL_EXPORTER_OTLP_ENDPOINT no OpenTelemetry module is loaded", async () => {
  expect(await modulesLoaded({})).toBe(0);
  expect(await modulesLoaded({ OTEL_EXPORTER_OTLP_ENDPOINT: startCollector().url })).toBeGreaterThan(50);
});
