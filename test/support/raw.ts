import { connect } from "node:net";

/** A raw response. `body` is read by its `Content-Length`; a chunked body is left empty. */
export type RawResponse = { status: number; headers: Headers; body: string };

/**
 * Sends raw bytes, which fetch would normalize or reject. Returns the received responses once the server closes the
 * connection or `count` responses are complete. Interim responses (100 Continue) count.
 */
export async function sendRaw(url: string, bytes: string | Uint8Array, count = 1): Promise<RawResponse[]> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const { promise: finished, resolve } = Promise.withResolvers<void>();
  let received = "";
  const isHead = bytes.toString().startsWith("HEAD ");
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
    if (responsesIn(received, isHead).length >= count) resolve();
  });
  socket.on("error", () => resolve());
  socket.on("close", () => resolve());
  socket.write(bytes);
  await finished;
  socket.destroy();
  return responsesIn(received, isHead);
}

/** Returns the head and body of a request as text; adds Content-Length unless the headers define the length. */
export function request(line: string, headers: Record<string, string> = {}, body = ""): string {
  const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const host = names.has("host") ? "" : "Host: api.test\r\n";
  const length =
    body === "" || names.has("transfer-encoding") || names.has("content-length")
      ? ""
      : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${line} HTTP/1.1\r\n${host}${length}${headerLines.join("")}\r\n${body}`;
}

/** Parses the complete responses in a text. If `isHead`, the first one has no body, whatever its Content-Length is. */
function responsesIn(text: string, isHead: boolean): RawResponse[] {
  const responses: RawResponse[] = [];
  for (let rest = text; rest !== ""; ) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) break;
    const [line = "", ...fields] = rest.slice(0, end).split("\r\n");
    const headers = new Headers(fields.map((field) => field.split(/:(.*)/s, 2) as [string, string]));
    const length = isHead && responses.length === 0 ? 0 : Number(headers.get("content-length") ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    if (body.length < length) break;
    responses.push({ status: Number(line.split(" ")[1]), headers, body });
    rest = rest.slice(end + 4 + length);
  }
  return responses;
}
