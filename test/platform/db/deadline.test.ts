import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { until } from "../../support/cluster.ts";
import { OWN_TICKETS, reportBody } from "../../support/helpdesk.ts";
import { timed } from "../../support/outage.ts";
import { outcome } from "../../support/outcomes.ts";
import { startService } from "../../support/service.ts";

/* A request may wait 8 s for the database in total over all its statements. */
const WAIT_MS = 8_000;
const t = await startService({}, { maxWaitMs: WAIT_MS });
/** Leaves a busy machine enough time to come to the second statement. */
const MOST_OF_IT_MS = 5_000;

/** Locks a table exclusively until released. */
async function hold(table: string) {
  const sql = new SQL({ url: t.databaseUrl, max: 1 });
  const { promise: enough, resolve: release } = Promise.withResolvers<void>();
  const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
  const over = sql.begin(async (tx) => {
    await tx.unsafe(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    held();
    await enough;
  });
  await isHeld;
  afterAll(() => sql.close());
  return async () => {
    release();
    await over;
  };
}

const waiting = async (table: string) =>
  (
    await t.sql(
      `SELECT FROM pg_locks WHERE NOT granted AND relation = $1::regclass
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [table],
    )
  ).length;
const untilWaiting = (table: string) => until(async () => ((await waiting(table)) > 0 ? true : null));

test("a sign-in that waits for two locked tables in turn gets its 503 within one deadline", async () => {
  const person = await t.person();
  const [first, second] = [await hold("users"), await hold("refresh_tokens")];
  try {
    const response = timed(t.anonymous().post("/api/auth/login", person.account));
    await untilWaiting("users");
    await Bun.sleep(MOST_OF_IT_MS);
    await first();
    await untilWaiting("refresh_tokens");
    expect(outcome(await response)).toBe("503 SERVICE_UNAVAILABLE");
    // If the second table's lock had a new deadline, the response would take longer.
    expect((await response).ms).toBeLessThan(MOST_OF_IT_MS + WAIT_MS);
  } finally {
    await second();
  }
});

test("time that a request spends outside the database, such as in slow storage, does not count towards the deadline", async () => {
  const person = await t.person();
  const { storage } = t.running.app;
  const { put } = storage;
  storage.put = async (...file) => {
    await Bun.sleep(WAIT_MS + 500);
    return put(...file);
  };
  try {
    const form = new FormData();
    for (const [name, value] of Object.entries(reportBody())) form.append(name, String(value));
    const pixel =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    form.append("images", new Blob([Buffer.from(pixel, "base64")], { type: "image/png" }), "pixel.png");
    const response = await fetch(t.url + OWN_TICKETS, {
      method: "POST",
      headers: { authorization: `Bearer ${person.accessToken}` },
      body: form,
    });
    expect([response.status, ((await response.json()) as { messageCount: number }).messageCount]).toEqual([
      201, 1,
    ]);
  } finally {
    storage.put = put;
  }
});
