import { expect, test } from "bun:test";
import { SMTPServer } from "smtp-server";
import { until } from "./support/cluster.ts";
import { expectStatus, startService, uniqueEmail } from "./support/service.ts";

/* A killed process: what it had answered for is done by whoever comes next, and a mail in doubt keeps its Message-ID. */
const t = await startService();

const A_MINUTE_AND_A_HALF = 90_000;

/** An SMTP server that takes every mail but says so only when it is told to. */
async function slowSmtp() {
  const messageIds: string[] = [];
  let answer: (() => void) | null = null;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, _session, callback) {
      void new Response(stream as unknown as ReadableStream).text().then(async (message) => {
        messageIds.push(message.match(/^Message-ID: *(\S+)/im)?.[1] ?? "");
        await answered;
        callback(null, "Kept");
      });
    },
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.server.address() as { port: number }).port,
    messageIds,
    answer: () => answer?.(),
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

const registration = (email: string) => ({
  email,
  password: "wide blue yonder",
  firstName: "Ada",
  lastName: "Lovelace",
});

test(
  "a mail whose process was killed right after the answer goes out once, after a restart",
  async () => {
    const [doomed] = await t.cluster(1);
    const email = uniqueEmail();
    expectStatus(await t.anonymous(doomed?.url).post("/api/auth/register", registration(email)), 202);
    await doomed?.kill();
    const sentBefore = t.inbox.mailsTo(email).length;

    const [next] = await t.cluster(1);
    await until(() => (t.inbox.mailsTo(email).length > sentBefore ? true : null), { seconds: 60 });
    await t.drain();
    expect(t.inbox.mailsTo(email)).toHaveLength(1);
    await next?.stop();
  },
  A_MINUTE_AND_A_HALF,
);

test(
  "a mail whose process was killed while SMTP had not answered is sent again soon, under the same Message-ID",
  async () => {
    const smtp = await slowSmtp();
    const settings = { SMTP_PORT: String(smtp.port) };
    const [doomed] = await t.cluster(1, settings);
    const email = uniqueEmail();
    expectStatus(await t.anonymous(doomed?.url).post("/api/auth/register", registration(email)), 202);
    await until(() => (smtp.messageIds.length === 1 ? true : null));
    await doomed?.kill();

    smtp.answer();
    const [next] = await t.cluster(1, settings);
    // src/jobs/resume.ts: without it, the delay of a retry comes on top, and 40 seconds are the least.
    await until(() => (smtp.messageIds.length === 2 ? true : null), { seconds: 38 });
    await t.drain();
    expect(smtp.messageIds).toHaveLength(2);
    expect(new Set(smtp.messageIds).size).toBe(1);
    const done = await t.sql(
      "SELECT retry_count FROM pgboss.job WHERE name = 'mail.send' AND state <> 'completed'",
    );
    expect(done).toEqual([]);
    await next?.stop();
    await smtp.close();
  },
  A_MINUTE_AND_A_HALF,
);
