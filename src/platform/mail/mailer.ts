/** A rendered mail. `messageId` with its angle brackets, without line breaks like `subject`. */
export type Mail = { to: string; subject: string; text: string; html: string; messageId: string };

/**
 * The server rejected a mail. It carries only codes: messages of servers, and those of the client about addresses, contain
 * recipients and would end up in logs.
 */
export class MailRejectedError extends Error {
  readonly code: string | undefined;
  readonly responseCode: number | undefined;
  readonly command: string | undefined;

  constructor({ code, responseCode, command }: Pick<MailRejectedError, "code" | "responseCode" | "command">) {
    super("The mail was not taken");
    this.code = code;
    this.responseCode = responseCode;
    this.command = command;
  }
}

/** Sends mail. */
export interface Mailer {
  /** @throws MailRejectedError */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** A mailer that is created by the first mail, because the mail client takes 3 MB of memory. */
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
