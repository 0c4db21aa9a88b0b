import { expect, test } from "bun:test";
import { PGBOSS_SCHEMA_VERSION } from "../../../src/platform/jobs/pgboss-tables.ts";
import { until } from "../../support/cluster.ts";
import { startService } from "../../support/service.ts";

/* During a rollout or rollback, instances of the old release restart on the schema of the new one. */
const t = await startService();

test("an instance starts on a newer queue schema, runs jobs, and leaves the schema unchanged", async () => {
  await t.sql("UPDATE pgboss.version SET version = $1", [PGBOSS_SCHEMA_VERSION + 1]);
  await t.cluster(1);
  const person = await t.unverifiedPerson();
  await until(async () => ((await t.inbox.mailsTo(person.email)).length === 1 ? true : null));
  expect(await t.sql("SELECT version FROM pgboss.version")).toEqual([{ version: PGBOSS_SCHEMA_VERSION + 1 }]);
});
