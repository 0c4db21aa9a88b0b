import { expect, test } from "bun:test";
import { until } from "../../support/cluster.ts";
import { startHostileServers } from "../../support/hostile.ts";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { createEndpoint, deliver, deliveriesOf, LOCAL } from "../../support/webhooks.ts";

const { "a slow body": _, ...servers } = await startHostileServers();
const t = await startService(LOCAL);

test("while hostile receivers send without end, another organization's requests succeed, and every attempt ends", async () => {
  const [attacker, other] = [await createOrganization(t), await createOrganization(t)];
  const endpoints = await Promise.all(
    Object.entries(servers).map(async ([kind, url]) => ({
      kind,
      endpoint: await createEndpoint(attacker.admin, `${url}/`),
    })),
  );
  for (let at = 0; at < 3; at += 1)
    expectStatus(await attacker.admin.post("/api/todos", { title: "a" }), 201);
  let isOver = false;
  const delivered = deliver(t).finally(() => {
    isOver = true;
  });
  let served = 0;
  while (!isOver) {
    expectStatus(await other.admin.get("/api/profile"), 200);
    served += 1;
  }
  await delivered;
  // The attempts take a few turns of the event loop each, so requests are served between them.
  expect(served).toBeGreaterThan(3);
  // On a busy machine an endpoint may get its first turn after those that fail have waited for theirs.
  await until(async () => {
    for (const { endpoint } of endpoints) {
      const { data } = await deliveriesOf(attacker.admin, endpoint);
      expect(data).toHaveLength(3);
      if (data.some(({ lastAttempt }: { lastAttempt: unknown }) => lastAttempt !== null)) continue;
      await deliver(t);
      return null;
    }
    return true;
  });
});
