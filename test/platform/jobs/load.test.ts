import { expect, test } from "bun:test";
import { systemCall } from "../../../src/core/context.ts";
import { mail } from "../../../src/core/effects/mail.ts";
import { transaction } from "../../../src/platform/db/transaction.ts";
import { batchCompletions } from "../../../src/platform/jobs/complete.ts";
import { until } from "../../support/cluster.ts";
import { startService, uniqueEmail } from "../../support/service.ts";

const t = await startService();

test("many queued mails are sent once each, at most 100 per second and instance", async () => {
  const recipients = Array.from({ length: 150 }, uniqueEmail);
  await transaction(systemCall(t.running), async (tx) => {
    for (const to of recipients)
      await mail(tx, { kind: "passwordReset", to, language: "en", data: { token: "a" } });
  });
  const [instance] = await t.cluster(1);
  const left = "SELECT FROM pgboss.job WHERE name = 'mail.send' AND state <> 'completed'";
  await until(async () => ((await t.sql(left)).length === 0 ? true : null), { seconds: 240 });
  const [taken] = await t.sql<{ seconds: number }>(
    "SELECT extract(epoch FROM max(started_on) - min(started_on))::float AS seconds FROM pgboss.job WHERE name = 'mail.send'",
  );
  // Six batches of 25 mails; the last one starts after the time slots of the five before.
  expect(taken?.seconds).toBeGreaterThan(1.2);
  expect(recipients.map((to) => t.inbox.mailsTo(to).length)).toEqual(recipients.map(() => 1));
  await instance?.stop();
});

test("jobs that complete while a batch is being reported go into the next batch; a failure affects only its own batch", async () => {
  const reported: string[][] = [];
  const responses: PromiseWithResolvers<void>[] = [];
  const complete = batchCompletions((ids) => {
    reported.push(ids);
    const response = Promise.withResolvers<void>();
    responses.push(response);
    return response.promise;
  });
  const outcomes: string[] = [];
  const done = (id: string) =>
    complete(id).then(
      () => outcomes.push(id),
      () => outcomes.push(`${id} failed`),
    );
  const first = done("1");
  await Bun.sleep(0);
  expect(reported).toEqual([["1"]]);

  const together = [done("2"), done("3")];
  await Bun.sleep(0);
  expect(reported).toEqual([["1"]]);
  responses[0]?.resolve();
  await first;
  await until(() => (reported.length === 2 ? true : null));
  expect(reported[1]).toEqual(["2", "3"]);

  const last = done("4");
  responses[1]?.reject(new Error("Lost"));
  await Promise.all(together);
  await until(() => (reported.length === 3 ? true : null));
  responses[2]?.resolve();
  await last;
  expect(outcomes).toEqual(["1", "2 failed", "3 failed", "4"]);
  expect(reported[2]).toEqual(["4"]);
});
