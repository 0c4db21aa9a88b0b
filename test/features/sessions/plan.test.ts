import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import * as sessions from "../../../sql/sessions.queries.ts";
import { POINT_LOOKUPS } from "../../../src/platform/db/connection.ts";
import { createOrganization } from "../../support/organizations.ts";
import { scansOf } from "../../support/query-plans.ts";
import { startService } from "../../support/service.ts";

const t = await startService();
const connection = new SQL({ url: t.databaseUrl, max: 1, connection: POINT_LOOKUPS });
afterAll(() => connection.close());

test("the refresh query uses an index even if its plan was cached when the table had few rows", async () => {
  await t.sql("VACUUM ANALYZE refresh_tokens");
  await createOrganization(t);
  const values: Record<string, unknown> = { tokenHash: "a", successorHash: "b", lifetimeDays: 7 };
  const { text, parameters } = sessions.rotateRefreshToken;
  for (const mode of ["force_custom_plan", "force_generic_plan"]) {
    await connection.unsafe(`SET plan_cache_mode = ${mode}`);
    const scans = await scansOf(connection, { text, values: parameters.map((name) => values[name]) });
    const ofTokens = scans.filter(({ table }) => table === "refresh_tokens");
    expect(ofTokens.map(({ isLed }) => isLed)).toEqual([true, true]);
  }
});
