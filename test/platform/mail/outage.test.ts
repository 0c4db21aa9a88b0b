import { afterAll, expect, test } from "bun:test";
import { SMTPServer } from "smtp-server";
import { insertJob } from "../../../src/platform/jobs/send.ts";
import { until } from "../../support/cluster.ts";
import { runHere, spawnCommand } from "../../support/commands.ts";
import { startService } from "../../support/service.ts";

/* Mails whose five retries failed before the SMTP server was back. */
const t = await startService();
const instances = await t.cluster(2, { METRICS_PORT: "0" });
const lines = (words: string) =>
  instances.flatMap((instance) => instance.log().filter((line) => line.includes(words)));

type Job = { id: string; state: string; output: Record<string, unknown> | null };
async function jobOf(email: string, where = ""): Promise<Job> {
  const [job] = await t.sql<Job>(
    `SELECT id, state, output FROM pgboss.job WHERE name = 'mail.send' AND id::text = $1 ${where}`,
    [ids.get(email)],
  );
  if (job === undefined) throw new Error("No job");
  return job;
}
/** The job ids of the latest mail to each account. */
const ids = new Map<string, string>();

/** Creates an account whose mail fails at every attempt; returns its email. */
async function givenUp(): Promise<string> {
  t.inbox.failNext(1_000);
  const { email } = await t.unverifiedPerson();
  const [job] = await t.sql<{ id: string }>(
    "SELECT id FROM pgboss.job WHERE name = 'mail.send' ORDER BY created_on DESC LIMIT 1",
  );
  ids.set(email, job?.id ?? "");
  await until(async () => {
    await t.sql("UPDATE pgboss.job SET start_after = now() WHERE state = 'retry'");
    return (await jobOf(email)).state === "failed" ? true : null;
  });
  t.inbox.failNext(0);
  return email;
}

/** Runs the job that retries failed mails, which is scheduled twice an hour. */
async function retryFailed(): Promise<void> {
  const db = { query: (text: string, values: unknown[]) => t.sql(text, values) };
  await insertJob(db, "mail.retry-failed", {});
  const left = "SELECT FROM pgboss.job WHERE name = 'mail.retry-failed' AND state < 'completed'";
  await until(async () => ((await t.sql(left)).length === 0 ? true : null));
}

const command = (...given: string[]) => runHere("jobs", given, { DATABASE_URL: t.databaseUrl });

test("a mail that failed at every attempt is sent once the server is back, for up to three days", async () => {
  const [recent, old] = [await givenUp(), await givenUp()];
  await t.sql("UPDATE pgboss.job SET created_on = created_on - interval '73 hours' WHERE id::text = $1", [
    ids.get(old),
  ]);
  await retryFailed();
  await until(() => (t.inbox.mailsTo(recent).length === 1 ? true : null));
  expect((await jobOf(old)).state).toBe("failed");
  // The failure of the job's last attempt was logged once.
  expect(lines(`Mail job ${ids.get(recent)} (verification) failed on its last attempt`)).toHaveLength(1);
});

test("a retried mail whose link has expired is dropped, and the log says why", async () => {
  const email = await givenUp();
  await t.sql(
    `UPDATE email_verification_tokens SET expires_at = now() - interval '1 second'
     WHERE user_id = (SELECT id FROM users WHERE email = $1)`,
    [email],
  );
  await retryFailed();
  const [line] = await until(() => {
    const found = lines(`Mail job ${ids.get(email)} (verification) dropped: its link is no longer valid`);
    return found.length > 0 ? found : null;
  });
  expect(JSON.parse(line ?? "{}")).toMatchObject({ queue: "mail.send", jobId: ids.get(email) });
  await until(async () => ((await jobOf(email)).state === "completed" ? true : null));
  expect(t.inbox.mailsTo(email)).toEqual([]);
});

test("a permanently rejected mail is not retried; a temporarily rejected one is", async () => {
  const email = await givenUp();
  const refused = async (output: object) => {
    await t.sql("UPDATE pgboss.job SET output = $2 WHERE id::text = $1", [ids.get(email), output]);
    await retryFailed();
    return (await jobOf(email)).state === "failed";
  };
  expect(await refused({ error: "EENVELOPE", responseCode: 550 })).toBe(true);
  expect(await refused({ error: "EMESSAGE", responseCode: 554 })).toBe(true);
  expect(await refused({ error: "EENVELOPE", responseCode: 450 })).toBe(false);
  await until(() => (t.inbox.mailsTo(email).length === 1 ? true : null));
});

test("the SMTP codes with which a server refused a mail are stored with its job", async () => {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo: (_address, _session, callback) => callback(new Error("no such mailbox")),
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const other = await startService();
  const [instance] = await other.cluster(1, {
    SMTP_PORT: String((server.server.address() as { port: number }).port),
  });
  await other.unverifiedPerson();
  const output = await until(async () => {
    const [job] = await other.sql<{ output: object }>("SELECT output FROM pgboss.job WHERE state = 'retry'");
    return job?.output ?? null;
  });
  expect(output).toEqual({ error: "EENVELOPE", responseCode: 550 });
  await instance?.stop();
  await new Promise<void>((resolve) => server.close(resolve));
});

test("a mail whose worker was killed in its last attempt is logged once over all instances", async () => {
  const email = await givenUp();
  const line = `Mail job ${ids.get(email)} (verification) failed on its last attempt`;
  await until(() => (lines(line).length === 1 ? true : null));
  // The output that pg-boss stores for a crashed worker.
  await t.sql("UPDATE pgboss.job SET output = $2 WHERE id::text = $1", [
    ids.get(email),
    { value: { message: "job heartbeat timeout" } },
  ]);
  await until(() => (lines(line).length === 2 ? true : null));
  // Waits twice the interval at which instances look for failed jobs.
  await Bun.sleep(10_000);
  expect(lines(line)).toHaveLength(2);
});

test("`bun run jobs` lists failed jobs without their payload, and retries or deletes them by id, by queue or all at once", async () => {
  await t.sql("DELETE FROM pgboss.job WHERE state = 'failed'");
  const [one, other] = [await givenUp(), await givenUp()];
  const { out: output } = await spawnCommand("jobs", ["list"], { DATABASE_URL: t.databaseUrl });
  const listed = output.trim().split("\n");
  expect(listed.map((line) => line.split("  ")[0])).toEqual([ids.get(one), ids.get(other)]);
  expect(listed[0]).toContain("mail.send verification");
  expect(listed[0]).toContain("6 attempts  failed");
  expect(output).not.toContain(one);

  expect((await command("retry", ids.get(one) ?? "")).out).toBe("1 will run now\n");
  await until(() => (t.inbox.mailsTo(one).length === 1 ? true : null));
  expect((await command("delete", "helpdesk.clean-up")).code).toBe(1);
  expect((await command("delete", "mail.send")).out).toBe("1 deleted\n");
  expect((await command("list", "mail.send")).out).toBe("");
  for (const wrong of [[], ["retry"], ["delete", "nothing"], ["list", "--what"], ["remove", "--all"]])
    expect((await command(...wrong)).code).toBe(1);
  expect((await command("retry", "--all")).out).toBe("0 will run now\n");
});

afterAll(() => t.inbox.failNext(0));
