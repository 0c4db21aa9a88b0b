import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";

const TLS = join(import.meta.dir, "tls");
/** A self-signed certificate for `localhost`, 127.0.0.1 and 0.0.0.0. */
export const CERTIFICATE = join(TLS, "certificate.pem");

const listen = (server: Server) =>
  new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );

/** Starts an SMTP server that accepts every mail and every password. `messages` are the received mails in source form. */
export async function startSmtp({ starttls }: { starttls: boolean }) {
  const recipients: { to: string; secure: boolean }[] = [];
  const messages: string[] = [];
  const smtp = new SMTPServer({
    ...(starttls
      ? { cert: readFileSync(CERTIFICATE), key: readFileSync(join(TLS, "key.pem")) }
      : { disabledCommands: ["STARTTLS"] }),
    authOptional: true,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 200,
    onAuth: (_auth, _session, callback) => callback(null, { user: "anybody" }),
    onRcptTo({ address }, { secure }, callback) {
      recipients.push({ to: address, secure });
      callback();
    },
    onData(stream, _session, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        messages.push(Buffer.concat(chunks).toString());
        callback();
      });
    },
  });
  // A client that does not trust the certificate disconnects with an error.
  smtp.on("error", () => {});
  const port = await listen(smtp.server as Server);
  return { port, recipients, messages, stop: () => new Promise<void>((done) => smtp.close(done)) };
}

/**
 * Starts a proxy in front of an SMTP server, like an attacker in the middle. With `strip` it removes the offer of
 * STARTTLS, and refuses clients that request it anyway.
 */
export async function startTlsInterceptor(target: number, { strip }: { strip: boolean }) {
  let heard = "";
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    client.on("data", (bytes) => {
      heard += bytes.toString("latin1");
      if (strip && /^STARTTLS/im.test(bytes.toString("latin1"))) client.write("502 5.5.1 Not here\r\n");
      else upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      const text = bytes.toString("latin1");
      client.write(
        strip ? Buffer.from(text.replace(/^250([ -])STARTTLS/m, "250$1XXXXXXXX"), "latin1") : bytes,
      );
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      one.on("close", () => other.destroy()).on("error", () => other.destroy());
  });
  const port = await listen(server);
  return {
    port,
    /** Returns all bytes that clients sent. */
    heard: () => heard,
    stop: () => new Promise<void>((done) => void server.close(() => done())),
  };
}
