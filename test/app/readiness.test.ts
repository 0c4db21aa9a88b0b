import { test } from "bun:test";
import { TIMING } from "../../src/features/notifications/timing.ts";
import { until } from "../support/cluster.ts";
import { startService } from "../support/service.ts";

/** The change feed would reconnect later than any test ends, so that only readiness can reconnect it. */
const t = await startService({}, { timing: { ...TIMING, secondMs: 600_000 } });

const listeners = () =>
  t.sql<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'change-feed' AND datname = current_database()",
  );

test("an instance that lost its change feed is ready again as soon as the database responds", async () => {
  for (let losses = 0; losses < 3; losses += 1) {
    const [lost] = await listeners();
    await t.sql("SELECT pg_terminate_backend($1)", [lost?.pid]);
    await until(async () => {
      await t.untilReady();
      const [listener] = await listeners();
      return listener !== undefined && listener.pid !== lost?.pid ? true : null;
    });
  }
});
