import { expect, test } from "bun:test";
import { Caller } from "../support/caller.ts";
import { until } from "../support/cluster.ts";
import { startService, uniqueEmail } from "../support/service.ts";

/* Instances may serve only requests or run only jobs; the service of this test runs no jobs. */
const t = await startService();

test("an instance with role api queues jobs without running them; a worker runs them and serves no API", async () => {
  const [api] = await t.cluster(1, { INSTANCE_ROLE: "api" });
  const email = uniqueEmail();
  const body = { email, password: "wide blue yonder", firstName: "Ada", lastName: "Lovelace" };
  expect((await new Caller(api?.url ?? "").post("/api/auth/register", body)).status).toBe(202);
  // Waits five times the polling interval of a worker, which would send the mail in that time.
  await Bun.sleep(2_500);
  expect(await t.inbox.mailsTo(email)).toEqual([]);

  const [worker] = await t.cluster(1, { INSTANCE_ROLE: "worker", METRICS_PORT: "0" });
  await until(async () => ((await t.inbox.mailsTo(email)).length === 1 ? true : null));
  const status = async (path: string) => (await fetch(`${worker?.url}${path}`)).status;
  expect(await Promise.all(["/api/health/live", "/api/health/ready"].map(status))).toEqual([200, 200]);
  expect(
    await Promise.all(["/api/profile", "/api/docs-json", "/api/docs", "/api/auth/providers"].map(status)),
  ).toEqual([404, 404, 404, 404]);
  const listening = worker?.log().find((line) => line.includes('"listening"'));
  const metrics = await fetch(`${JSON.parse(listening ?? "{}").metrics}metrics`);
  expect(await metrics.text()).toContain('mails_total{kind="verification",outcome="sent"} 1');
});
