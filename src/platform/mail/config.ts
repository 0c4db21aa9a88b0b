import ipaddr from "ipaddr.js";
import { z } from "zod";
import { withAsciiDomain } from "../email-domain.ts";
import { configSection, flag, integer, isProduction, missingVariables } from "../environment.ts";
import { isLoopback } from "../loopback.ts";

/** The SMTP server, and the sender of mails. */
export type SmtpConfig = {
  from: string;
  host: string;
  port: number;
  /** Whether connections to the SMTP server use TLS from the first byte. */
  secure: boolean;
  /** Whether to reject SMTP servers without TLS. If the server offers TLS, it is always used. */
  requireTls: boolean;
  /** The user name at the SMTP server; empty to connect without authentication. */
  user: string;
  pass: string;
};

const ADDRESS = '[^\\s<>@,;:"]+@[^\\s<>@,;:"]+';
/**
 * Matches an email address, or a name and an address. A name with special characters of mail headers must be
 * quoted.
 */
const MAIL_FROM = new RegExp(`^(?:${ADDRESS}|(?:"[^"\\r\\n\\\\]*"|[^<>@,;:"\\r\\n]*) ?<${ADDRESS}>)$`);

const LAST_ADDRESS = /[^\s<>@]+@[^\s<>@]+(?=>?$)/;

/** The configuration of outgoing mail. */
export const smtpConfig = configSection({
  variables: {
    MAIL_FROM: z
      .string()
      .refine(
        (value) => MAIL_FROM.test(value),
        "must be an email address, or a name and an address as in Acme <no-reply@acme.example>",
      ),
    SMTP_HOST: z
      .string()
      .refine(
        (value) => ipaddr.isValid(value.replace(/^\[(.*)\]$/, "$1")) || /^[^\s:/@[\]]+$/.test(value),
        "must be a host name or an address alone; the port is SMTP_PORT",
      ),
    SMTP_PORT: integer(1, 65_535),
    // Only the exact string `true` means TLS from the first byte.
    SMTP_SECURE: z
      .string()
      .default("false")
      .transform((value) => value === "true"),
    SMTP_ALLOW_PLAINTEXT: flag.default(false),
    SMTP_USER: z.string().default(""),
    SMTP_PASS: z.string().default(""),
  },
  secrets: ["SMTP_PASS"],
  check: (raw) => (raw.SMTP_USER ? missingVariables(raw, ["SMTP_PASS"], "beside SMTP_USER") : []),
  warn: (raw) => [
    ...(raw.SMTP_PASS && !raw.SMTP_USER ? ["SMTP_PASS is not used without SMTP_USER"] : []),
    ...([undefined, "true", "false"].includes(raw.SMTP_SECURE)
      ? []
      : ["SMTP_SECURE is neither true nor false, and counts as false: no TLS from the first byte"]),
  ],
  read: (env, raw): SmtpConfig => ({
    from: env.MAIL_FROM.replace(LAST_ADDRESS, withAsciiDomain),
    host: env.SMTP_HOST,
    port: env.SMTP_PORT,
    secure: env.SMTP_SECURE,
    requireTls: isProduction(raw) && !env.SMTP_ALLOW_PLAINTEXT && !isLoopback(env.SMTP_HOST),
    user: env.SMTP_USER,
    pass: env.SMTP_PASS,
  }),
});
