import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import pg from "pg";
import { bunDriver } from "../../../src/platform/db/drivers/bun.ts";

const SSL_REQUEST = 80_877_103;
const file = (name: string) => Bun.file(join(import.meta.dir, "../../support/tls", name)).text();

/** Starts a server that offers TLS like PostgreSQL, with an untrusted certificate, and records what clients send. */
async function untrustedServer() {
  const [key, cert] = await Promise.all([file("key.pem"), file("certificate.pem")]);
  const told: string[] = [];
  let asked = 0;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (first: Buffer) => {
      if (first.readUInt32BE(4) !== SSL_REQUEST) {
        told.push(first.toString("latin1"));
        return;
      }
      asked += 1;
      socket.write("S");
      const secure = new TLSSocket(socket, { isServer: true, key, cert });
      secure.on("error", () => {});
      secure.on("data", (data) => told.push(data.toString("latin1")));
    });
  });
  await new Promise<void>((done) => server.listen(0, "localhost", done));
  const { port } = server.address() as { port: number };
  return {
    url: `postgres://ada:secret@localhost:${port}/d`,
    told,
    asked: () => asked,
    stop: () => server.close(),
  };
}

test("with sslmode=verify-full a server with an untrusted certificate receives neither user name nor password", async () => {
  const server = await untrustedServer();
  const url = `${server.url}?sslmode=verify-full`;
  const pool = bunDriver({ url, size: 1, settings: {} });
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  const failed = await Promise.all([
    pool.query("SELECT 1", []).then(() => null, String),
    client.connect().then(() => null, String),
  ]);
  expect(failed).toEqual([expect.stringContaining("certificate"), expect.stringContaining("certificate")]);
  expect([server.asked(), server.told]).toEqual([2, []]);
  await pool.close(0);
  server.stop();
});
