import { createServer, type Socket } from "node:net";
import { gzipSync } from "bun";

/**
 * A program with one HTTP server for each kind of hostile response, in a process of its own so that sending costs the
 * tested process nothing. Prints the ports by kind as one line of JSON.
 */
const BLOCK_BYTES = 64 * 1024;
const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/** Sends `begin` once, then `block` without end, as fast as the client reads. */
const endless = (begin: string, part: string) => (socket: Socket) => {
  const block = part.repeat(Math.ceil(BLOCK_BYTES / part.length));
  const more = () => {
    while (!socket.destroyed && socket.write(block));
  };
  socket.on("drain", more);
  socket.write(begin);
  more();
};

const kinds: Record<string, (socket: Socket) => void> = {
  "chunks of one byte": endless(CHUNKED, "1\r\na\r\n"),
  "informational responses": endless("", "HTTP/1.1 103 E\r\n\r\n"),
  "continue responses": endless("", "HTTP/1.1 100 C\r\n\r\n"),
  "headers without end": endless("HTTP/1.1 200 OK\r\n", "X: y\r\n"),
  "trailers without end": endless(`${CHUNKED}0\r\n`, "X: y\r\n"),
  "an extension without end": endless(`${CHUNKED}1;`, "x"),
  "a body without end": endless("HTTP/1.1 200 OK\r\n\r\n", "x"),
  "a gzip bomb": (socket) => {
    const bomb = gzipSync(new Uint8Array(32 * 1024 * 1024));
    socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`);
    socket.end(bomb);
  },
  "a slow body": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    const timer = setInterval(() => socket.write("x"), 50);
    socket.on("close", () => clearInterval(timer));
  },
};

const ports = Object.entries(kinds).map(async ([kind, respond]) => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => respond(socket));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return [kind, (server.address() as { port: number }).port] as const;
});
console.log(JSON.stringify(Object.fromEntries(await Promise.all(ports))));
process.on("disconnect", () => process.exit());
