import { expect, test } from "bun:test";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { until } from "../../support/cluster.ts";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";
import { resetToken, sameBrowser } from "../../support/sessions.ts";

// Operators may configure APP_URL with a path and a trailing slash.
const t = await startService({ APP_URL: "https://app.test/client/", API_URL: "https://app.test" });

const TEXTS = {
  en: {
    verification: "Confirm your email address",
    reset: "Choose a new password",
    changed: "Your password was changed",
    ended: "All your sessions were ended",
  },
  el: {
    verification: "Επιβεβαιώστε τη διεύθυνση email σας",
    reset: "Επιλέξτε νέο κωδικό πρόσβασης",
    changed: "Ο κωδικός πρόσβασής σας άλλαξε",
    ended: "Όλες οι συνεδρίες σας τερματίστηκαν",
  },
};

for (const language of ["en", "el"] as const) {
  test(`an account with language ${language} gets every mail in that language, as text and as HTML`, async () => {
    const texts = TEXTS[language];
    const person = await t.registeredPerson({ language });
    const stale = sameBrowser(person);
    expectStatus(await person.refresh(), 200);
    expectStatus(await person.refresh(), 200);
    expectStatus(await stale.refresh(), 401);
    const token = await resetToken(t, person.email);
    const reset = { token, newPassword: "a new blue yonder" };
    expectStatus(await t.anonymous().post("/api/auth/reset-password", reset), 204);

    const mails = await t.mailTo(person.email);
    expect(mails.map(({ subject }) => subject)).toEqual([
      texts.verification,
      texts.ended,
      texts.reset,
      texts.changed,
    ]);
    const paths = ["/verify-email?token=", "/forgot-password", "/reset-password?token=", "/forgot-password"];
    for (const [index, { text, html, from, links, headers }] of mails.entries()) {
      expect(from).toBe("no-reply@app.test");
      expect(headers.filter(({ name }) => name === "To").map(({ value }) => value)).toEqual([person.email]);
      expect(links).toHaveLength(1);
      expect(links[0]).toStartWith(`https://app.test/client${paths[index]}`);
      expect(html).toContain(`<html lang="${language}">`);
      expect(html).toContain(`href="${links[0]}"`);
      const sentences = text.split("\n\n").filter((part) => part !== "" && !part.includes("https://"));
      for (const sentence of sentences) expect(html).toContain(sentence.replaceAll("&", "&amp;").trim());
    }
  });
}

test("links in mails are built from APP_URL, whatever Host header the request has", async () => {
  const person = await t.unverifiedPerson();
  const headers = {
    host: "evil.test",
    "x-forwarded-host": "evil.test",
    "x-forwarded-proto": "http",
    forwarded: "host=evil.test",
    origin: "https://evil.test",
    referer: "https://evil.test/",
  };
  await t.anonymous().post("/api/auth/forgot-password", { email: person.email }, { headers });
  const mail = (await t.mailTo(person.email)).at(-1);
  expect(mail?.links[0]).toStartWith("https://app.test/client/reset-password?token=");
  expect(mail?.text + (mail?.html ?? "")).not.toContain("evil");
  expect(mail?.messageId).toEndWith("@app.test>");
});

test("a mail to an address with special characters reaches that address and no other", async () => {
  for (const local of ["o'brien", "a+b", "x=y", "{curly}", "per%cent"]) {
    const email = `${local}-${crypto.randomUUID()}@example.com`;
    await t.unverifiedPerson({ email });
    const [mail, ...more] = await t.mailTo(email);
    expect(more).toEqual([]);
    expect(mail?.to).toEqual([email]);
  }
});

test("the job table contains no email address and no token in clear text", async () => {
  const person = await t.unverifiedPerson();
  const { token } = await t.linkTo(person.email, "/verify-email");
  const reset = await resetToken(t, person.email);
  const jobs = (await t.sql<{ text: string }>("SELECT j::text AS text FROM pgboss.job j")).map(
    ({ text }) => text,
  );
  expect(jobs.length).toBeGreaterThanOrEqual(3);
  for (const secret of [person.email, person.email.split("@")[0] ?? "", token, reset])
    for (const job of jobs) expect(job).not.toContain(secret);
});

test("a mail that the SMTP server refused is sent again later, with the same Message-ID", async () => {
  const [instance] = await t.cluster(1);
  const person = await t.unverifiedPerson();
  await until(() => (t.inbox.mailsTo(person.email).length === 1 ? true : null));

  t.inbox.failNext(2);
  await t.anonymous().post("/api/auth/forgot-password", { email: person.email });
  const delays: number[] = [];
  for (let refusals = 1; refusals <= 2; refusals += 1) {
    const retry = await until(async () => {
      const [job] = await t.sql<{ seconds: number; retry_count: number; retry_limit: number }>(
        `SELECT retry_count, retry_limit, extract(epoch FROM start_after - now())::float AS seconds
         FROM pgboss.job WHERE name = 'mail.send' AND state = 'retry' AND retry_count = $1`,
        [refusals - 1],
      );
      return job ?? null;
    });
    expect(retry.retry_limit).toBe(5);
    delays.push(retry.seconds);
    await t.sql("UPDATE pgboss.job SET start_after = now() WHERE state = 'retry'");
  }
  // The delay starts at 30 s and doubles, plus random jitter of up to 100%.
  expect(delays[0]).toBeWithin(25, 61);
  expect(delays[1]).toBeWithin(55, 121);

  await until(() => (t.inbox.mailsTo(person.email).length === 2 ? true : null));
  const [job] = await t.sql(
    "SELECT id FROM pgboss.job WHERE name = 'mail.send' ORDER BY created_on DESC LIMIT 1",
  );
  expect(t.inbox.mailsTo(person.email).at(-1)?.messageId).toBe(`<${job?.id}@app.test>`);
  await instance?.stop();
});

test("after five retries a mail has failed permanently, with one log line", async () => {
  const [instance] = await t.cluster(1);
  const person = await t.unverifiedPerson();
  await until(() => (t.inbox.mailsTo(person.email).length === 1 ? true : null));

  t.inbox.failNext(1_000);
  await t.anonymous().post("/api/auth/forgot-password", { email: person.email });
  const failed = await until(async () => {
    await t.sql("UPDATE pgboss.job SET start_after = now() WHERE state = 'retry'");
    const [job] = await t.sql("SELECT * FROM pgboss.job WHERE name = 'mail.send' AND state = 'failed'");
    return job ?? null;
  });
  t.inbox.failNext(0);
  expect(failed.retry_count).toBe(5);
  expect(failed.deletion_seconds).toBe(7 * 24 * 3600);

  const log = instance?.log() ?? [];
  // Log lines are written in batches.
  await until(() => (log.filter((line) => line.includes('"job failed"')).length >= 6 ? true : null));
  const wanted = `Mail job ${failed.id} (passwordReset) failed on its last attempt`;
  expect(log.filter((line) => line.includes(wanted))).toHaveLength(1);
  expect(log.filter((line) => line.includes('"job failed"'))).toHaveLength(6);
  expect(log.join("\n")).not.toContain(person.email);
  await instance?.stop();
});

type Refuse = (address: string, callback: (error: Error) => void) => void;
const refuse: Refuse = (address, callback) => callback(new Error(`<${address}>: no such mailbox`));
/**
 * The SMTP commands at which a server may reject a mail with a message of its own, and the error that the log then
 * contains.
 */
const REFUSALS: [where: string, server: SMTPServerOptions, told: Record<string, unknown>][] = [
  [
    "its recipient",
    { onRcptTo: ({ address }, _session, callback) => refuse(address, callback) },
    { code: "EENVELOPE", responseCode: 550, command: "RCPT TO" },
  ],
  [
    "its content",
    {
      onData: (stream, { envelope }, callback) =>
        stream.resume().on("end", () => refuse(envelope.rcptTo[0]?.address ?? "", callback)),
    },
    { code: "EMESSAGE", responseCode: 450, command: "DATA" },
  ],
];

for (const [where, options, told] of REFUSALS)
  test(`if a server rejects a mail by ${where} and names the address, neither the job table nor the log contains it`, async () => {
    const server = new SMTPServer({ authOptional: true, disabledCommands: ["STARTTLS"], ...options });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.server.address() as { port: number };
    const [instance] = await t.cluster(1, { SMTP_PORT: String(port) });
    const email = uniqueEmail();
    const body = { email, password: "wide blue yonder", firstName: "Ada", lastName: "Lovelace" };
    expectStatus(await t.anonymous(instance?.url).post("/api/auth/register", body), 202);
    const job = await until(async () => {
      const [row] = await t.sql<{ text: string }>(
        "SELECT j::text AS text FROM pgboss.job j WHERE state = 'retry'",
      );
      return row ?? null;
    });
    expect(job.text).not.toContain(email);
    const lines = await until(() => {
      const failed = instance?.log().filter((line) => line.includes('"job failed"')) ?? [];
      return failed.length > 0 ? failed : null;
    });
    expect(JSON.parse(lines[0] ?? "{}").err).toMatchObject(told);
    for (const word of [email, "no such mailbox"]) expect(instance?.log().join("\n")).not.toContain(word);
    await instance?.stop();
    await t.sql("DELETE FROM pgboss.job WHERE state = 'retry'");
    await new Promise<void>((resolve) => server.close(resolve));
  });

test("a mail that failed because of another encryption key is logged without its recipient", async () => {
  const [instance] = await t.cluster(1, { JOBS_ENCRYPTION_KEY: "another-key-0123456789-0123456789-0123" });
  const email = uniqueEmail();
  const body = { email, password: "wide blue yonder", firstName: "Ada", lastName: "Lovelace" };
  expectStatus(await t.anonymous().post("/api/auth/register", body), 202);
  const [job] = await t.sql<{ id: string }>(
    "SELECT id FROM pgboss.job WHERE name = 'mail.send' ORDER BY created_on DESC LIMIT 1",
  );
  await until(async () => {
    await t.sql("UPDATE pgboss.job SET start_after = now() WHERE state = 'retry'");
    return (await t.sql("SELECT FROM pgboss.job WHERE id = $1 AND state = 'failed'", [job?.id]))[0] ?? null;
  });
  const log = instance?.log() ?? [];
  await until(() => (log.filter((line) => line.includes('"job failed"')).length >= 6 ? true : null));
  const wanted = `Mail job ${job?.id} (verification) failed on its last attempt`;
  const [given, ...others] = log.filter((line) => line.includes(wanted));
  expect(given).toContain("Encrypted with another key than the one that is configured");
  expect(others).toEqual([]);
  expect(log.join("\n")).not.toContain(email);
  await instance?.stop();
});
