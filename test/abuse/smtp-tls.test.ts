import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../support/cluster.ts";
import { expectStatus, startService, uniqueEmail } from "../support/service.ts";
import { CERTIFICATE, startSmtp, startTlsInterceptor } from "../support/smtp.ts";

const t = await startService();

/** An address of this machine that is not a loopback address, so it counts as remote. */
const ELSEWHERE = "0.0.0.0";
const SECRET = "s3cret-of-smtp";
const PRODUCTION = {
  NODE_ENV: "production",
  APP_URL: "https://app.test",
  SMTP_USER: "service",
  SMTP_PASS: SECRET,
};

type Case = { starttls: boolean; strip?: boolean; settings?: Record<string, string> };

/** Sends a mail in production through an intercepting proxy; returns the result and what the proxy saw. */
async function send({ starttls, strip = false, settings = {} }: Case) {
  const smtp = await startSmtp({ starttls });
  const way = await startTlsInterceptor(smtp.port, { strip });
  const directory = await mkdtemp(join(tmpdir(), "smtp-tls-"));
  const [instance] = await t.cluster(1, {
    ...PRODUCTION,
    STORAGE_DIR: directory,
    SMTP_HOST: ELSEWHERE,
    SMTP_PORT: String(way.port),
    NODE_EXTRA_CA_CERTS: CERTIFICATE,
    ...settings,
  });
  if (instance === undefined) throw new Error("No instance");
  try {
    const email = uniqueEmail();
    const body = { email, password: "wide blue yonder", firstName: "Ada", lastName: "Lovelace" };
    expectStatus(await t.anonymous(instance.url).post("/api/auth/register", body), 202);
    const job = await until(async () => {
      const [row] = await t.sql<{ state: string; error: string | null }>(
        `SELECT state, output->>'error' AS error FROM pgboss.job
         WHERE name = 'mail.send' AND state IN ('completed', 'retry') ORDER BY created_on DESC LIMIT 1`,
      );
      return row ?? null;
    });
    const failed = instance.log().filter((line) => line.includes('"job failed"'));
    return { ...job, email, heard: way.heard(), recipients: smtp.recipients, failed };
  } finally {
    await instance.stop();
    await t.sql("DELETE FROM pgboss.job WHERE name = 'mail.send'");
    await way.stop();
    await smtp.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

const base64 = (text: string) => Buffer.from(text).toString("base64");
/** Returns the secrets and SMTP commands that the intercepting proxy could read. */
const leaks = ({ heard, email }: { heard: string; email: string }) =>
  ["AUTH", "MAIL FROM", "RCPT TO", email, SECRET, base64(SECRET), base64(`\0service\0${SECRET}`)].filter(
    (word) => heard.includes(word),
  );

for (const [what, given] of Object.entries({
  "does not offer STARTTLS": { starttls: false },
  "seems not to offer STARTTLS because an attacker removed the offer": { starttls: true, strip: true },
}))
  test(`in production neither password nor mail is sent to an SMTP server that ${what}`, async () => {
    const sent = await send(given);
    expect([sent.state, sent.error]).toEqual(["retry", "ETLS"]);
    expect(sent.heard).toContain("EHLO");
    expect(leaks(sent)).toEqual([]);
    expect(sent.recipients).toEqual([]);
    expect(sent.failed.join("\n")).not.toContain(sent.email);
  });

test("in production a mail to an SMTP server with STARTTLS is sent encrypted", async () => {
  const sent = await send({ starttls: true });
  expect([sent.state, sent.failed]).toEqual(["completed", []]);
  expect(sent.recipients).toEqual([{ to: sent.email, secure: true }]);
  expect(leaks(sent)).toEqual([]);
});

test("an SMTP server with an untrusted certificate gets no mail", async () => {
  const sent = await send({ starttls: true, settings: { NODE_EXTRA_CA_CERTS: "" } });
  expect(sent.state).toBe("retry");
  expect([leaks(sent), sent.recipients]).toEqual([[], []]);
  // The log and `bun run jobs list` name the cause.
  expect(sent.error).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
  expect(sent.failed.join()).toContain("the certificate of the server is not trusted");
  expect(sent.failed.join()).not.toContain(sent.email);
});

for (const [what, settings] of Object.entries({
  "on a loopback address": { SMTP_HOST: "127.0.0.1" },
  "named localhost": { SMTP_HOST: "localhost" },
  "if SMTP_ALLOW_PLAINTEXT is true": { SMTP_ALLOW_PLAINTEXT: "true" },
  "outside production": { NODE_ENV: "development" },
}))
  test(`a mail is sent unencrypted to an SMTP server without TLS ${what}`, async () => {
    const sent = await send({ starttls: false, settings });
    expect([sent.state, sent.failed]).toEqual(["completed", []]);
    expect(sent.recipients).toEqual([{ to: sent.email, secure: false }]);
  });
