import { expect, test } from "bun:test";
import { until } from "../support/cluster.ts";
import { startApi, startOwnPostgres } from "../support/outage.ts";
import { race } from "../support/race.ts";

/* Readiness is public, so any number of probes must check the dependencies only once per two seconds. */
const postgres = await startOwnPostgres();

/** Starts an S3 bucket that counts its requests and can be made unavailable. */
function startBucket() {
  const bucket = { asked: 0, isAway: false, url: "" };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => {
      bucket.asked += 1;
      return new Response(null, { status: bucket.isAway ? 503 : 200 });
    },
  });
  bucket.url = server.url.href;
  return bucket;
}

const bucket = startBucket();
const api = await startApi(await postgres.database(), {
  STORAGE_DRIVER: "s3",
  S3_BUCKET: "images",
  S3_REGION: "nowhere",
  S3_ENDPOINT: bucket.url,
  S3_FORCE_PATH_STYLE: "true",
  S3_ACCESS_KEY_ID: "key",
  S3_SECRET_ACCESS_KEY: "secret",
});

type Ready = { status: string; checks: Record<string, string> };

async function readiness(): Promise<[number, Ready]> {
  const response = await fetch(`${api.url}/api/health/ready`);
  return [response.status, (await response.json()) as Ready];
}

/** Waits until readiness has this status; its result is cached for 2 s. */
const untilStatus = (status: string) =>
  until(async () => {
    const response = await readiness();
    return response[1].status === status ? response : null;
  });

const logged = (check: string) =>
  api.log
    .filter((line) => line.includes('"not ready"'))
    .map((line) => JSON.parse(line))
    .filter((line) => line.check === check);

test("500 readiness probes check the storage once, and again 2 seconds later", async () => {
  await untilStatus("ok");
  // After this pause no earlier result is cached that could expire during the probes.
  await Bun.sleep(2_000);
  const before = bucket.asked;
  const started = performance.now();
  const responses = await race(500, readiness);
  const periods = Math.floor((performance.now() - started) / 2_000);
  expect(new Set(responses.map(([status]) => status))).toEqual(new Set([200]));
  expect(bucket.asked - before).toBeWithin(1, 2 + periods);
  await Bun.sleep(2_000);
  await readiness();
  expect(bucket.asked - before).toBeWithin(2, 3 + periods);
});

test("without storage readiness is degraded with 200; without the database it is 503", async () => {
  const ok = { database: "ok", jobs: "ok", changeFeed: "ok", storage: "ok" };
  expect(await untilStatus("ok")).toEqual([200, { status: "ok", checks: ok }]);
  bucket.isAway = true;
  expect(await untilStatus("degraded")).toEqual([
    200,
    { status: "degraded", checks: { ...ok, storage: "failed" } },
  ]);
  bucket.isAway = false;
  await untilStatus("ok");
  await postgres.stop("fast");
  try {
    const [status, { checks }] = await untilStatus("failed");
    expect([status, checks.database, checks.storage]).toEqual([503, "failed", "ok"]);
  } finally {
    await postgres.start();
  }
  await untilStatus("ok");
});

test("a failing dependency is logged once when it starts to fail, not for every probe", async () => {
  await untilStatus("ok");
  const before = logged("storage").length;
  bucket.isAway = true;
  await untilStatus("degraded");
  await Bun.sleep(2_500);
  await race(20, readiness);
  bucket.isAway = false;
  await untilStatus("ok");
  const failures = logged("storage").slice(before);
  expect(failures).toHaveLength(1);
  expect(failures[0].err.type).toBeString();
});
