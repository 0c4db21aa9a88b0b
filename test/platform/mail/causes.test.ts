import { expect, test } from "bun:test";
import type { Server } from "node:net";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";
import type { SmtpConfig } from "../../../src/platform/mail/config.ts";
import { smtpMailer } from "../../../src/platform/mail/smtp.ts";

const TLS = join(import.meta.dir, "../../support/tls");
const [key, cert] = await Promise.all(
  ["key.pem", "certificate.pem"].map((name) => Bun.file(join(TLS, name)).text()),
);
const RECIPIENT = "recipient@example.com";

/** Sends a mail with these SMTP settings; returns the error, or null if it was sent. */
async function failure(settings: Partial<SmtpConfig>) {
  const config = { from: "a@b.test", host: "127.0.0.1", port: 1, secure: false, requireTls: false };
  const mailer = smtpMailer({ ...config, user: "", pass: "", ...settings });
  const mail = { to: RECIPIENT, subject: "s", text: "t", html: "h", messageId: "<a@b.test>" };
  try {
    return await mailer.send(mail).then(
      () => null,
      (error) => error,
    );
  } finally {
    mailer.close();
  }
}

async function withServer<T>(server: Server, work: (port: number) => Promise<T>): Promise<T> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    return await work((server.address() as { port: number }).port);
  } finally {
    server.close();
  }
}

function smtp(options: object) {
  const server = new SMTPServer({ disableReverseLookup: true, ...options });
  server.on("error", () => {});
  return server.server as Server;
}

test("the error of a mail that cannot be sent names cause and remedy, and no recipient", async () => {
  const startTls = { authOptional: true, key, cert };
  const refusing = {
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: (_auth: unknown, _session: unknown, done: (error: Error) => void) => done(new Error(RECIPIENT)),
  };
  const failures = await Promise.all([
    failure({ port: 1 }),
    failure({ host: "smtp.invalid" }),
    withServer(smtp(startTls), (port) => failure({ port })),
    withServer(smtp(startTls), (port) => failure({ port, secure: true })),
    withServer(smtp(refusing), (port) => failure({ port, user: "ada", pass: "secret" })),
    withServer(smtp({ ...refusing, authOptional: true }), (port) => failure({ port, requireTls: true })),
    withServer(smtp({ ...startTls, secure: true }), (port) => failure({ port })),
  ]);
  expect(failures.map(({ code }) => code)).toEqual([
    ...["ECONNREFUSED", "ENOTFOUND", "DEPTH_ZERO_SELF_SIGNED_CERT", "ERR_SSL_WRONG_VERSION_NUMBER"],
    ...["EAUTH", "ETLS", "ETIMEDOUT"],
  ]);
  const words = [
    "SMTP_PORT",
    "SMTP_HOST",
    "NODE_EXTRA_CA_CERTS",
    "SMTP_SECURE",
    "SMTP_USER",
    "no TLS",
    "465",
  ];
  for (const [index, word] of words.entries()) expect(failures[index].message).toContain(word);
  expect(failures.map((error) => `${error} ${JSON.stringify(error)}`).join()).not.toContain(RECIPIENT);
});

test("the error of a rejected recipient contains only SMTP codes", async () => {
  const onRcptTo = (_address: unknown, _session: unknown, done: (error: Error) => void) =>
    done(Object.assign(new Error(RECIPIENT), { responseCode: 550 }));
  const server = smtp({ disabledCommands: ["STARTTLS"], authOptional: true, onRcptTo });
  const error = await withServer(server, (port) => failure({ port }));
  expect([error.message, error.code, error.responseCode]).toEqual([
    "The mail was not accepted",
    "EENVELOPE",
    550,
  ]);
});
