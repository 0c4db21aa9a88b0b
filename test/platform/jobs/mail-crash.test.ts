import { expect, test } from "bun:test";
import { SMTPServer } from "smtp-server";
import { until } from "../../support/cluster.ts";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";

/*
 * If a process is killed, another one runs the jobs that it had queued. A mail that may already have been sent is
 * sent again with the same Message-ID.
 */
const t = await startService();

type Arrival = { to: string; messageId: string };

/**
 * Starts an SMTP server that accepts every mail, but delays its confirmation to recipients that `hangs` selects until
 * `response()`.
 */
async function slowSmtp(hangs: (to: string) => boolean) {
  const arrivals: Arrival[] = [];
  const { promise: told, resolve: response } = Promise.withResolvers<void>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, session, callback) {
      stream.on("error", () => {});
      void new Response(stream as unknown as ReadableStream).text().then(async (message) => {
        const to = session.envelope.rcptTo[0]?.address ?? "";
        arrivals.push({ to, messageId: message.match(/^Message-ID: *(\S+)/im)?.[1] ?? "" });
        if (hangs(to)) await told;
        callback(null, "Kept");
      });
    },
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.server.address() as { port: number }).port,
    arrivals,
    response,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

const registration = (email: string) => ({
  email,
  password: "wide blue yonder",
  firstName: "Ada",
  lastName: "Lovelace",
});

test("a mail is sent once by another process if its process is killed right after the response", async () => {
  const [doomed] = await t.cluster(1);
  const email = uniqueEmail();
  expectStatus(await t.anonymous(doomed?.url).post("/api/auth/register", registration(email)), 202);
  await doomed?.kill();

  const [next] = await t.cluster(1);
  await until(() => (t.inbox.mailsTo(email).length > 0 ? true : null), { seconds: 60 });
  await t.drain();
  // One mail arrives, or a repetition with the same Message-ID if the process was killed while it was sending.
  expect(new Set(t.inbox.mailsTo(email).map(({ messageId }) => messageId)).size).toBe(1);
  await next?.stop();
});

test("of the mails of a killed process only the one that was being sent is sent again, with the same Message-ID", async () => {
  const hanging = uniqueEmail();
  const others = Array.from({ length: 4 }, uniqueEmail);
  const smtp = await slowSmtp((to) => to === hanging);
  const settings = { SMTP_PORT: String(smtp.port) };
  const [doomed] = await t.cluster(1, settings);
  const caller = t.anonymous(doomed?.url);
  const register = async (email: string) =>
    expectStatus(await caller.post("/api/auth/register", registration(email)), 202);
  await Promise.all([hanging, ...others].map(register));
  // The other mails of the batch are completed although one hangs.
  await until(async () => {
    const active = await t.sql("SELECT id FROM pgboss.job WHERE name = 'mail.send' AND state = 'active'");
    const hangs = smtp.arrivals.some(({ to }) => to === hanging);
    return hangs && active.length === 1 ? true : null;
  });
  await doomed?.kill();

  smtp.response();
  const [next] = await t.cluster(1, settings);
  const arrivedAt = (email: string) => smtp.arrivals.filter(({ to }) => to === email);
  // A resumed job runs at once (src/platform/jobs/supervise.ts). Otherwise it would wait for its retry delay and take
  // at least
  // 40 seconds.
  await until(() => (arrivedAt(hanging).length === 2 ? true : null), { seconds: 38 });
  await until(() => (others.every((email) => arrivedAt(email).length > 0) ? true : null));
  await t.drain();
  expect(others.map((email) => arrivedAt(email).length)).toEqual(others.map(() => 1));
  expect(new Set(arrivedAt(hanging).map(({ messageId }) => messageId)).size).toBe(1);
  expect(arrivedAt(hanging)).toHaveLength(2);
  const left = await t.sql("SELECT id FROM pgboss.job WHERE name = 'mail.send' AND state <> 'completed'");
  expect(left).toEqual([]);
  await next?.stop();
  await smtp.close();
});
