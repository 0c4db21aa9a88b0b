/** A rendered mail. `messageId` includes its angle brackets; it and `subject` contain no line breaks. */
export type Mail = { to: string; subject: string; text: string; html: string; messageId: string };

/** The error of the SMTP client. The code of the socket or of TLS is in `originalCode`. */
export type MailFailure = { code?: string; originalCode?: string; responseCode?: number; command?: string };

/** Failures of the connection to the SMTP server, before a mail was sent, with what to do about them. */
const REMEDIES: [codes: RegExp, sentence: string][] = [
  [/^ECONNREFUSED$/, "nothing listens at SMTP_HOST and SMTP_PORT"],
  [/^(ENOTFOUND|EAI_\w+)$/, "SMTP_HOST has no address"],
  [/^(EHOSTUNREACH|ENETUNREACH)$/, "there is no way to SMTP_HOST"],
  [/CERT|SIGNATURE|ISSUER|ALTNAME/, "the certificate of the server is not trusted, see NODE_EXTRA_CA_CERTS"],
  [
    /WRONG_VERSION|SSL|^EPROTO$/,
    "TLS failed: SMTP_SECURE=true is for servers that begin with TLS (port 465), false for STARTTLS (587)",
  ],
  [/^ETIMEDOUT$/, "the server said nothing: does it begin with TLS (port 465, SMTP_SECURE=true)?"],
  [/^ETLS$/, "the server offers no TLS"],
  [/^EAUTH$/, "the server refuses SMTP_USER or SMTP_PASS"],
];
/** Error codes that only name the part of the SMTP client that failed. */
const VAGUE = new Set(["ESOCKET", "ECONNECTION", "EDNS"]);

/**
 * The error for a mail that the SMTP server rejected. It contains only codes and this service's own sentences:
 * messages of servers and of the client may contain recipients, which would end up in logs.
 */
export class MailRejectedError extends Error {
  readonly code: string | undefined;
  readonly responseCode: number | undefined;
  readonly command: string | undefined;

  constructor({ code, originalCode, responseCode, command }: MailFailure) {
    const cause = code !== undefined && VAGUE.has(code) ? (originalCode ?? code) : code;
    const [, remedy] = REMEDIES.find(([codes]) => codes.test(cause ?? "")) ?? [];
    super(remedy === undefined ? "The mail was not accepted" : `The mail was not accepted: ${remedy}`);
    this.code = cause;
    this.responseCode = responseCode;
    this.command = command;
  }
}

/** Sends mail. */
export interface Mailer {
  /** Sends a mail. @throws MailRejectedError */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** Creates a mailer that opens its client with the first mail, because the client uses 3 MB of memory. */
export function lazyMailer(open: () => Promise<Mailer>): Mailer {
  let mailer: Promise<Mailer> | null = null;
  return {
    async send(mail) {
      mailer ??= open();
      await (await mailer).send(mail);
    },
    close: () => void mailer?.then((opened) => opened.close()),
  };
}
