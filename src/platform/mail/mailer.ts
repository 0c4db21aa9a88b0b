import type { Transporter } from "nodemailer";
import type { SmtpConfig } from "./config.ts";

/** A mail, ready to go. */
export type Mail = { to: string; subject: string; text: string; html: string; messageId: string };

/**
 * The server did not take a mail. Codes alone say why: the words of servers, and those of the client about
 * addresses, name recipients, and end up in logs.
 */
export class NotTaken extends Error {
  readonly code: string | undefined;
  readonly responseCode: number | undefined;
  readonly command: string | undefined;

  constructor({ code, responseCode, command }: Pick<NotTaken, "code" | "responseCode" | "command">) {
    super("The mail was not taken");
    this.code = code;
    this.responseCode = responseCode;
    this.command = command;
  }
}

/** The one way out for mail; tests look at the other end of it. */
export interface Mailer {
  /** @throws NotTaken */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** Sends by SMTP over a few kept connections. Every wait is bounded, so a silent server cannot hold a job. */
export function smtpMailer(config: SmtpConfig): Mailer {
  let transport: Promise<Transporter> | null = null;
  return {
    async send({ to, subject, text, html, messageId }) {
      transport ??= connect(config);
      const smtp = await transport;
      // An address object is taken as it is; a string would be parsed for further recipients.
      const recipient = { name: "", address: to };
      try {
        await smtp.sendMail({ from: config.from, to: recipient, subject, text, html, messageId });
      } catch (error) {
        throw new NotTaken(error as NotTaken);
      }
    },
    close: () => void transport?.then((open) => open.close()),
  };
}

async function connect(config: SmtpConfig): Promise<Transporter> {
  // Loaded where a mail is sent: it takes 3 MB.
  const { default: nodemailer } = await import("nodemailer");
  return nodemailer.createTransport({
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
}
