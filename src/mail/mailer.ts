import nodemailer from "nodemailer";
import type { Config } from "../config.ts";

/** A mail, ready to go. */
export type Mail = { to: string; subject: string; text: string; html: string; messageId: string };

/** The one way out for mail; tests look at the other end of it. */
export interface Mailer {
  /** @throws when the server did not take the mail. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** Sends by SMTP over a few kept connections. Every wait is bounded, so a silent server cannot hold a job. */
export function smtpMailer(config: Config["mail"]): Mailer {
  const transport = nodemailer.createTransport({
    host: config.host,
    port: config.port,
    secure: config.secure,
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
    async send({ to, subject, text, html, messageId }) {
      // An address object is taken as it is; a string would be parsed for further recipients.
      await transport.sendMail({
        from: config.from,
        to: { name: "", address: to },
        subject,
        text,
        html,
        messageId,
      });
    },
    close: () => transport.close(),
  };
}
