import { expect, test } from "bun:test";
import { jobKinds } from "../../../src/app/jobs.ts";
import { createLogger } from "../../../src/platform/log.ts";
import { until } from "../../support/cluster.ts";
import { startApi, startOwnPostgres } from "../../support/outage.ts";

const postgres = await startOwnPostgres();
const api = await startApi(await postgres.database());
const linesWith = (message: string) =>
  api.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);

test("a line logged by a job handler has the queue, job id and request id", async () => {
  const lines: object[] = [];
  const log = createLogger("info", {
    write: (line) => void lines.push(JSON.parse(line)),
    flush: async () => {},
  });
  const kind = jobKinds.find(({ queue }) => queue === "billing.reconcile");
  const app = { payments: {}, config: { billing: { plans: {} } } };
  const service = { app, log, db: { query: async () => [] } };
  await kind?.run(service as never, { id: "a job", payload: null, requestId: "a request" } as never);
  expect(lines).toEqual([
    expect.objectContaining({
      msg: "subscriptions reconciled",
      queue: "billing.reconcile",
      jobId: "a job",
      requestId: "a request",
    }),
  ]);
});

test("during a PostgreSQL outage errors of the job queue are logged once a minute, not several times a second", async () => {
  await api.untilReady();
  await postgres.stop("immediate");
  await until(() => (linesWith("job queue error").length > 0 ? true : null));
  await Bun.sleep(5_000);
  expect(linesWith("job queue error").length).toBeWithin(1, 3);
  await postgres.start();
  await api.untilReady();
});
