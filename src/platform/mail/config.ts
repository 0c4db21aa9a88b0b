import { z } from "zod";
import { configSection, flag, integer, isProduction } from "../environment.ts";
import { isLoopback } from "../loopback.ts";

/** The SMTP server, and the sender of mails. */
export type SmtpConfig = {
  from: string;
  host: string;
  port: number;
  /** TLS from the first byte. */
  secure: boolean;
  /** Whether to refuse servers without TLS. If TLS is offered, it is always used. */
  requireTls: boolean;
  /** Empty for no authentication. */
  user: string;
  pass: string;
};

const ADDRESS = '[^\\s<>@,;:"]+@[^\\s<>@,;:"]+';
/** An address, or a name and an address; a name with special characters of mail headers is quoted. */
const MAIL_FROM = new RegExp(`^(?:${ADDRESS}|(?:"[^"\\r\\n\\\\]*"|[^<>@,;:"\\r\\n]*) ?<${ADDRESS}>)$`);

/** The configuration of outgoing mail. */
export const smtpConfig = configSection({
  variables: {
    MAIL_FROM: z
      .string()
      .refine(
        (value) => MAIL_FROM.test(value),
        "must be an email address, or a name and an address as in Acme <no-reply@acme.example>",
      ),
    SMTP_HOST: z.string(),
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
  read: (env, raw): SmtpConfig => ({
    from: env.MAIL_FROM,
    host: env.SMTP_HOST,
    port: env.SMTP_PORT,
    secure: env.SMTP_SECURE,
    requireTls: isProduction(raw) && !env.SMTP_ALLOW_PLAINTEXT && !isLoopback(env.SMTP_HOST),
    user: env.SMTP_USER,
    pass: env.SMTP_PASS,
  }),
});
