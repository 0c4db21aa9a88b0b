import http from "node:http";
import https from "node:https";
import net from "node:net";
import tls from "node:tls";
import { MeteredSocket, ResponseTooLarge } from "./metered-socket.ts";

const MAX_HEADER_BYTES = 16 * 1024;
const MAX_INFORMATIONAL_RESPONSES = 10;
/** The maximum number of pieces of a body, each of which costs time. An honest server sends hundreds of bytes in each. */
const MAX_PIECES = 20_000;

export type Outgoing = {
  url: URL;
  /** The IP address to connect to; without it the host name in the URL is looked up. */
  address?: string;
  method: string;
  headers: Record<string, string>;
  body?: Uint8Array | string | undefined;
  /** Limits the time for everything, including the body of the response. */
  signal: AbortSignal;
  /** The maximum number of bytes that the server may send, whatever they are. */
  maxBytes: number;
  /** Additional certificates of authorities; used by tests. */
  ca?: string | undefined;
  onConnect?: () => void;
};

export type Incoming = {
  status: number;
  headers: http.IncomingHttpHeaders;
  /** The body as sent, not decompressed. Ending the iteration closes the connection. */
  body: AsyncIterable<Buffer>;
};

/**
 * Sends a request of any outgoing client, on a connection of its own. Limits everything that the server sends: all
 * bytes, headers, informational responses and the time. Verifies TLS for the host name in the URL. Does not follow
 * redirects, use a proxy from the environment or decompress.
 * @throws ResponseTooLarge; the reason of `signal`; errors of the connection
 */
export function send({ url, address, signal, maxBytes, ca, onConnect, ...request }: Outgoing) {
  const isTls = url.protocol === "https:";
  const name = url.hostname.replace(/^\[|\]$/g, "");
  const host = address ?? name;
  const target = { host, port: Number(url.port) || (isTls ? 443 : 80) };
  const servername = net.isIP(name) === 0 ? name.replace(/\.$/, "") : "";
  const socket = isTls
    ? tls.connect({ ...target, servername, ca }, onConnect)
    : net.connect(target, onConnect);
  const connection = new MeteredSocket(socket, { maxBytes, signal });
  const { promise, resolve, reject } = Promise.withResolvers<Incoming>();
  const outgoing = (isTls ? https : http).request({
    createConnection: () => connection,
    method: request.method,
    path: `${url.pathname}${url.search}`,
    headers: {
      ...request.headers,
      host: url.host,
      connection: "close",
      ...(request.body !== undefined && { "content-length": String(Buffer.byteLength(request.body)) }),
    },
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  let informational = 0;
  for (const event of ["information", "continue"])
    outgoing.on(event, () => {
      informational += 1;
      if (informational > MAX_INFORMATIONAL_RESPONSES)
        connection.destroy(new ResponseTooLarge("Too many informational responses"));
    });
  outgoing.on("response", (body) => {
    body.on("close", () => connection.destroy());
    resolve({ status: body.statusCode ?? 0, headers: body.headers, body: piecesOf(body, connection) });
  });
  outgoing.on("error", reject);
  outgoing.on("close", () => reject(new Error("The connection was closed")));
  outgoing.end(request.body);
  return promise;
}

/**
 * Returns the pieces of a body. Ending the iteration closes the connection at once, also before it has begun and while
 * it waits for the server.
 * @throws the cause for which the connection ended, which the parser does not report
 */
function piecesOf(body: http.IncomingMessage, connection: MeteredSocket): AsyncIterable<Buffer> {
  const pieces = read(body, connection);
  // The generator's own method does nothing before the first piece, and waits for the piece that is being read.
  const end = () => {
    connection.destroy();
    return pieces.return(undefined);
  };
  return { [Symbol.asyncIterator]: () => ({ next: () => pieces.next(), return: end }) };
}

async function* read(body: http.IncomingMessage, connection: MeteredSocket): AsyncGenerator<Buffer> {
  let pieces = 0;
  try {
    for await (const piece of body) {
      pieces += 1;
      if (pieces > MAX_PIECES) throw new ResponseTooLarge("The response has too many pieces");
      yield piece;
    }
  } catch (error) {
    throw connection.errored ?? error;
  }
  if (connection.errored) throw connection.errored;
}
