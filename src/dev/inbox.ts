import type { AddressInfo } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import { withAsciiDomain } from "../platform/email-domain.ts";
import { inboxPage, type ReceivedMail } from "./inbox-page.ts";

export type { ReceivedMail } from "./inbox-page.ts";

/*
 * Starts an SMTP server that accepts every mail and delivers none. Development and tests send over real SMTP and read
 * the mails here. It listens only on the loopback address, because mails contain links that sign people in.
 */

export type Inbox = {
  smtpPort: number;
  webUrl: string | null;
  /** The latest 1,000 mails, newest last. A mail is added before its sender gets the response. */
  readonly mails: readonly ReceivedMail[];
  /** Returns the mails to one recipient, ignoring case, newest last. */
  mailsTo(address: string): ReceivedMail[];
  /** Makes the next `n` deliveries fail with the temporary SMTP error 451; 0 resets this. */
  failNext(n: number): void;
  clear(): void;
  /** Stops the server and closes connections that senders keep open. May be called twice. */
  stop(): Promise<void>;
};

export type InboxOptions = {
  /** The SMTP port; 0 (the default) chooses a free one. */
  smtpPort?: number;
  /** The port of the web page; 0 (the default) chooses a free one, null disables the page. */
  webPort?: number | null;
};

const HOST = "127.0.0.1";
const MAILS_KEPT = 1_000;
const MAIL_BYTES = 10 * 1024 * 1024;
const CLOSE_TIMEOUT_MS = 200;

/** Starts the SMTP server and its web page. @throws an Error with the port if a port is in use */
export async function startInbox(options: InboxOptions = {}): Promise<Inbox> {
  const mails: ReceivedMail[] = [];
  let failures = 0;

  const smtp = smtpServer(async (message, envelope) => {
    if (failures > 0) {
      failures--;
      throw refusal(451, "Refused on request, try again later");
    }
    mails.push(await receive(message, envelope));
    if (mails.length > MAILS_KEPT) mails.shift();
  });
  const smtpPort = await listen(smtp, options.smtpPort ?? 0);
  const stopSmtp = () => new Promise<void>((done) => smtp.close(done));

  let web: Bun.Server<undefined> | null = null;
  try {
    if (options.webPort !== null) {
      web = Bun.serve({ port: options.webPort ?? 0, hostname: HOST, fetch: inboxPage(mails) });
    }
  } catch (error) {
    await stopSmtp();
    throw new Error(`The inbox's page cannot use port ${options.webPort}`, { cause: error });
  }

  let stopped: Promise<unknown> | null = null;
  return {
    smtpPort,
    webUrl: web ? `http://${HOST}:${web.port}/` : null,
    mails,
    mailsTo: (address) => mails.filter((mail) => mail.to.includes(address.toLowerCase())),
    failNext(n) {
      failures = n;
    },
    clear() {
      mails.length = 0;
    },
    async stop() {
      stopped ??= Promise.all([stopSmtp(), web?.stop(true)]);
      await stopped;
    },
  };
}

type Envelope = SMTPServerSession["envelope"];

function smtpServer(accept: (message: Uint8Array, envelope: Envelope) => Promise<void>): SMTPServer {
  return new SMTPServer({
    name: "localhost",
    disabledCommands: ["STARTTLS"],
    // Accepts any credentials, so that a configuration with a user name also works.
    authOptional: true,
    allowInsecureAuth: true,
    onAuth: (_auth, _session, callback) => callback(null, { user: "anybody" }),
    disableReverseLookup: true,
    size: MAIL_BYTES,
    closeTimeout: CLOSE_TIMEOUT_MS,
    onData(stream, session, callback) {
      collect(stream)
        .then((message) => accept(message, session.envelope))
        .then(
          () => callback(null, "Kept in the inbox"),
          (error: Error) => callback(error),
        );
    },
  });
}

/** Reads a message to its end, as SMTP requires, but keeps only the permitted number of bytes. */
async function collect(stream: SMTPServerDataStream): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) if (!stream.sizeExceeded) chunks.push(chunk);
  if (stream.sizeExceeded) throw refusal(552, `Larger than ${MAIL_BYTES} bytes`);
  return Buffer.concat(chunks);
}

async function receive(message: Uint8Array, envelope: Envelope): Promise<ReceivedMail> {
  const mail: Email = await PostalMime.parse(message).catch((error: Error) => {
    throw refusal(554, `Not readable: ${error.message}`);
  });
  const text = mail.text ?? "";
  return {
    id: crypto.randomUUID(),
    from: mail.from?.address || (envelope.mailFrom ? envelope.mailFrom.address : ""),
    to: envelope.rcptTo.map(({ address }) => withAsciiDomain(address).toLowerCase()),
    subject: mail.subject ?? "",
    messageId: mail.messageId ?? "",
    text,
    html: mail.html ?? "",
    receivedAt: new Date(),
    links: linksIn(text),
    headers: mail.headers.map(({ originalKey, value }) => ({ name: originalKey, value })),
  };
}

function linksIn(text: string): string[] {
  const found = text.match(/\bhttps?:\/\/[^\s<>"'`]{1,4000}/gi) ?? [];
  return found.map(withoutSentenceEnd).filter((link) => URL.canParse(link));
}

/** Full stops and brackets that end the sentence around a URL do not belong to the URL. */
function withoutSentenceEnd(link: string): string {
  const last = link.at(-1) ?? "";
  const opening = { ")": "(", "]": "[", "}": "{" }[last];
  const closes = opening !== undefined && link.split(opening).length < link.split(last).length;
  return closes || ".,;:!?".includes(last || "-") ? withoutSentenceEnd(link.slice(0, -1)) : link;
}

function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

function listen(smtp: SMTPServer, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    smtp.once("error", (cause) => reject(new Error(`The inbox cannot use SMTP port ${port}`, { cause })));
    // It is not an error of the inbox if a sender disconnects.
    smtp.on("error", () => {});
    smtp.listen(port, HOST, () => resolve((smtp.server.address() as AddressInfo).port));
  });
}
