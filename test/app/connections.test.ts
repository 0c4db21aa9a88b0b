import { expect, test } from "bun:test";
import { until } from "../support/cluster.ts";
import { startApi, startOwnPostgres } from "../support/outage.ts";

/*
 * A separate PostgreSQL with 200 connections, because the instance opens its whole pool and other tests need the
 * shared server.
 */
const postgres = await startOwnPostgres();
const databaseUrl = await postgres.database();

test("an instance logs a warning if PostgreSQL accepts too few connections for two instances", async () => {
  const logged = async (size: string, wanted: number) => {
    const api = await startApi(databaseUrl, { DATABASE_POOL_SIZE: size });
    await api.untilReady();
    const found = () => api.log.filter((line) => line.includes("too few connections for two instances"));
    await until(() => (found().length >= wanted ? true : null));
    await api.stop();
    return found();
  };
  expect(await logged("10", 0)).toEqual([]);
  const [line = "{}", ...more] = await logged("100", 1);
  expect([JSON.parse(line).needed, more]).toEqual([129, []]);
});
