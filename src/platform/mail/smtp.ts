import nodemailer from "nodemailer";
import type { SmtpConfig } from "./config.ts";
import { type Mailer, type MailFailure, MailRejectedError } from "./mailer.ts";

/** Matches the addresses of accounts: plain ASCII without characters that have a meaning in mail headers. */
const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]+@[\w.-]+$/;

/**
 * Sends mails by SMTP over a few pooled connections. Every wait has a timeout, so that an unresponsive server
 * cannot block a job.
 */
export function smtpMailer(config: SmtpConfig): Mailer {
  const transport = nodemailer.createTransport({
    host: config.host,
    port: config.port,
    secure: config.secure,
    // TLS is required: otherwise an attacker on the network could strip STARTTLS and read passwords and links.
    requireTLS: config.requireTls,
    ...(config.user !== "" && { auth: { user: config.user, pass: config.pass } }),
    pool: true,
    maxConnections: 3,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ to, ...content }) {
      if (!ADDRESS.test(to)) throw new Error("The recipient is no address");
      try {
        // Recipients are passed as objects, which the client uses unchanged. It would parse a string for further
        // recipients.
        await transport.sendMail({
          ...content,
          from: config.from,
          to: { name: "", address: to },
          xMailer: false,
        });
      } catch (error) {
        throw new MailRejectedError(error as MailFailure);
      }
    },
    close: () => transport.close(),
  };
}
