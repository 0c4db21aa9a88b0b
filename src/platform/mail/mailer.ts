import type { Mail } from "./message.ts";

/**
 * The server did not take a mail. Codes alone say why: the words of servers, and those of the client about
 * addresses, name recipients, and end up in logs.
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

/** The one way out for mail; tests look at the other end of it. */
export interface Mailer {
  /** @throws MailRejectedError */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** A mailer that is opened by the first mail, as what sends mails takes 3 MB. */
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
