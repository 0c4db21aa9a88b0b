import { expect, test } from "bun:test";
import { until } from "../../support/cluster.ts";
import { startApi } from "../../support/outage.ts";
import { startPooler } from "../../support/pooler.ts";
import { startService } from "../../support/service.ts";

/* A connection pooler such as PgBouncer as DATABASE_URL, with and without the direct address in DATABASE_LISTEN_URL. */
const t = await startService();
const SENTENCE = "set DATABASE_LISTEN_URL to the address of PostgreSQL itself";

for (const untracked of ["refused", "dropped"] as const)
  test(`without DATABASE_LISTEN_URL an instance behind a pooler is not ready if startup settings are ${untracked}`, async () => {
    const api = await startApi(await startPooler(t.databaseUrl, untracked));
    const { status } = await until(async () => {
      const ready = await api.health("ready");
      const { jobs, database } = ready.body.checks;
      return jobs === "ok" && database === "failed" ? ready : null;
    });
    expect(status).toBe(503);
    const lines = () => api.log.map((line) => JSON.parse(line));
    // Before the first connection succeeds, the reason is another one.
    await until(() => {
      const causes = lines().filter(({ msg, check }) => msg === "not ready" && check === "database");
      return causes.some(({ err }) => err.message.includes(SENTENCE)) || null;
    });
    if (untracked === "dropped") return;
    // Reads use other connections and succeed; only the failing transaction reports the problem.
    expect((await api.register("ada@example.com")).status).toBe(503);
    const failed = await until(() => lines().find(({ msg }) => msg === "request failed") ?? null);
    expect([failed.err.message, failed.err.cause.message].join()).toContain(SENTENCE);
  });

test("with DATABASE_LISTEN_URL an instance behind a pooler is ready and serves transactions", async () => {
  const overrides = { DATABASE_LISTEN_URL: t.databaseUrl };
  const api = await startApi(await startPooler(t.databaseUrl, "refused"), overrides);
  await api.untilReady();
  expect((await api.register(`person-${crypto.randomUUID()}@example.com`)).status).toBe(202);
});
