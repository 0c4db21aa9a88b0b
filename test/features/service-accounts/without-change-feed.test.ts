import { expect, test } from "bun:test";
import { until } from "../../support/cluster.ts";
import { callerOf, createMachine, keyPath } from "../../support/machines.ts";
import { createOrganization } from "../../support/organizations.ts";
import { TestProxy } from "../../support/proxy.ts";
import { expectStatus, startService } from "../../support/service.ts";

const t = await startService();

test("an instance whose change feed is silent rejects a revoked key at once", async () => {
  const proxy = await TestProxy.start(t.databaseUrl);
  const listenUrl = new URL(t.databaseUrl);
  listenUrl.host = new URL(proxy.url).host;
  const far = await startService({ DATABASE_LISTEN_URL: listenUrl.href }, { databaseUrl: t.databaseUrl });
  const org = await createOrganization(t);
  const machine = await createMachine(org, { role: "MEMBER" });
  const status = async () => (await callerOf(far.url, machine.key).get("/api/permissions")).status;
  await until(() => (proxy.connections > 0 ? true : null));
  await until(async () => ((await far.anonymous().get("/api/health/ready")).status === 200 ? true : null));
  expect(await status()).toBe(200);

  proxy.silence(true);
  expectStatus(await org.admin.delete(keyPath(machine)), 204);
  expect(await status()).toBe(401);
});
