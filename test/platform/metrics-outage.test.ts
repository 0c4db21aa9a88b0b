import { afterEach, expect, test } from "bun:test";
import { startApi, startOwnPostgres } from "../support/outage.ts";

const postgres = await startOwnPostgres();
afterEach(() => postgres.thaw());

test("metrics are served while the database does not respond, without the values read from the database", async () => {
  const api = await startApi(await postgres.database(), { METRICS_PORT: "0" });
  await api.untilReady();
  const scrape = async () => (await fetch(`${api.metricsUrl}metrics`)).text();
  expect(await scrape()).toContain('\njobs{queue="mail.send",state="created"} 0\n');

  postgres.freeze();
  // Values from the database are cached for two seconds.
  await Bun.sleep(2_500);
  const started = performance.now();
  const frozen = await scrape();
  expect(performance.now() - started).toBeLessThan(8_000);
  expect(frozen).not.toContain("\njobs{");
  expect(frozen).toContain("\nstreams_open 0\n");
  expect(frozen).toContain('\ndb_pool_connections{pool="transactions",state="used"} ');
});
