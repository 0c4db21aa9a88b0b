import nodemailer from "nodemailer";
import MailComposer from "nodemailer/lib/mail-composer";
import type { SmtpConfig } from "./config.ts";
import { type Mailer, MailRejectedError } from "./mailer.ts";
import { composeMessage } from "./message.ts";

/** Sends by SMTP over a few kept connections. Every wait is bounded, so a silent server cannot hold a job. */
export function smtpMailer(config: SmtpConfig): Mailer {
  const transport = nodemailer.createTransport({
    host: config.host,
    port: config.port,
    secure: config.secure,
    // Without it, whoever sits on the way takes out the offer of STARTTLS, and reads passwords and links.
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
  const sender = new MailComposer({ from: config.from }).compile();
  const { from } = sender.getEnvelope();
  // The first of its headers, on one line or several.
  const [fromHeader = ""] = sender.buildHeaders().split(/\r\n(?=\S)/);
  return {
    async send(mail) {
      // An address object is taken as it is; a string would be parsed for further recipients.
      const envelope = { from, to: { name: "", address: mail.to } };
      try {
        await transport.sendMail({ envelope, raw: composeMessage(fromHeader, mail) });
      } catch (error) {
        throw new MailRejectedError(error as MailRejectedError);
      }
    },
    close: () => transport.close(),
  };
}
