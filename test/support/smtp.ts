import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";

const TLS = join(import.meta.dir, "tls");
/** Made for tests alone: of `localhost`, 127.0.0.1 and 0.0.0.0, signed by itself. */
export const CERTIFICATE = join(TLS, "certificate.pem");

const listen = (server: Server) =>
  new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );

/** An SMTP server that takes every mail and every password. */
export async function startSmtp({ starttls }: { starttls: boolean }) {
  const recipients: { to: string; secure: boolean }[] = [];
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
      stream.resume().on("end", () => callback());
    },
  });
  // Whoever does not trust its certificate hangs up.
  smtp.on("error", () => {});
  const port = await listen(smtp.server as Server);
  return { port, recipients, stop: () => new Promise<void>((done) => smtp.close(done)) };
}

/**
 * The way to an SMTP server, on which somebody listens. With `strip` the offer of STARTTLS is taken out, and whoever
 * asks for it in spite of that is refused, as somebody who wants to read along would do it.
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
    /** All that clients sent, as it went over the wire. */
    heard: () => heard,
    stop: () => new Promise<void>((done) => void server.close(() => done())),
  };
}
