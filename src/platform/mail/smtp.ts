import nodemailer from "nodemailer";
import MailComposer from "nodemailer/lib/mail-composer";
import type { SmtpConfig } from "./config.ts";
import { type Mailer, MailRejectedError } from "./mailer.ts";
import { composeMessage } from "./message.ts";

/** Sends by SMTP over a few pooled connections. Every wait has a timeout, so that an unresponsive server cannot block a job. */
export function smtpMailer(config: SmtpConfig): Mailer {
  const transport = nodemailer.createTransport({
    host: config.host,
    port: config.port,
    secure: config.secure,
    // Otherwise an attacker on the network could strip STARTTLS and read passwords and links.
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
  // The first header, which may be folded over several lines.
  const [fromHeader = ""] = sender.buildHeaders().split(/\r\n(?=\S)/);
  return {
    async send(mail) {
      // An address object is used as it is; a string would be parsed for further recipients.
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
