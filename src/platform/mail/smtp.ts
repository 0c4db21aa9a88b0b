import nodemailer from "nodemailer";
import type { SmtpConfig } from "./config.ts";
import { type Mailer, type MailFailure, MailRejectedError } from "./mailer.ts";

/** Matches the addresses of accounts: plain ASCII without characters that have a meaning in mail headers. */
const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]+@[\w.-]+$/;

/** Says that no person wrote the mail, so that programs do not reply to it (RFC 3834 and its counterpart of Exchange). */
const HEADERS = { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "OOF, AutoReply" };

/**
 * The number of characters in an encoded word: 9 characters of 4 bytes are 48 characters in base64, and an encoded word has
 * at most 75 (RFC 2047, 2).
 */
const CHARACTERS_IN_WORD = 9;

/**
 * Returns a subject in which nothing is decoded that was not encoded here. The client sends an ASCII text as it is, so a name
 * such as `=?utf-8?q?https=3A?=` would be decoded by the recipient's program.
 */
function safeSubject(subject: string): string {
  if (!subject.includes("=?")) return subject;
  const characters = [...subject.replaceAll(/[\r\n]+/g, " ")];
  const words: string[] = [];
  for (let start = 0; start < characters.length; start += CHARACTERS_IN_WORD)
    words.push(characters.slice(start, start + CHARACTERS_IN_WORD).join(""));
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString("base64")}?=`).join(" ");
}

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
    async send({ to, subject, ...content }) {
      if (!ADDRESS.test(to)) throw new Error("The recipient is no address");
      try {
        // Recipients are passed as objects, which the client uses unchanged. It would parse a string for further
        // recipients.
        await transport.sendMail({
          ...content,
          subject: safeSubject(subject),
          headers: HEADERS,
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
