import { afterAll } from "bun:test";
import { connect, createServer, type Socket } from "node:net";

const SSL_REQUEST = 80_877_103;
/** The startup parameters that PgBouncer tracks. */
const TRACKED = new Set(["user", "database", "application_name", "client_encoding", "DateStyle", "TimeZone"]);

/**
 * Starts a proxy in front of PostgreSQL that treats startup parameters like PgBouncer. A connection with an untracked
 * parameter is refused with PgBouncer's error, or loses the parameter as with `ignore_startup_parameters`.
 */
export async function startPooler(databaseUrl: string, untracked: "refused" | "dropped") {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on("error", () => {});
    client.on("close", () => sockets.delete(client));
    client.once("data", function onFirst(bytes: Buffer) {
      if (bytes.readInt32BE(4) === SSL_REQUEST) {
        client.once("data", onFirst);
        client.write("N");
        return;
      }
      const settings = settingsIn(bytes);
      const unknown = settings.filter(([name]) => !TRACKED.has(name));
      if (unknown.length > 0 && untracked === "refused") return client.end(refusalOf(unknown[0] ?? ["", ""]));
      const upstream = connect(Number(target.port), target.hostname);
      upstream.on("error", () => client.destroy());
      upstream.write(startupWith(settings.filter(([name]) => TRACKED.has(name))));
      client.pipe(upstream).pipe(client);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return Object.assign(new URL(target), { hostname: "127.0.0.1", port: String(port) }).href;
}

function settingsIn(startup: Buffer): [string, string][] {
  const texts = startup.subarray(8, startup.readInt32BE(0)).toString().split("\0");
  const settings: [string, string][] = [];
  for (let at = 0; texts[at]; at += 2) settings.push([texts[at] ?? "", texts[at + 1] ?? ""]);
  return settings;
}

function startupWith(settings: [string, string][]): Buffer {
  const body = Buffer.from(`${settings.flat().join("\0")}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(body.length + 8, 0);
  head.writeInt32BE(196_608, 4);
  return Buffer.concat([head, body]);
}

function refusalOf([name, value]: [string, string]): Buffer {
  const setting = name === "options" ? `in options: ${/-c (\w+)/.exec(value)?.[1]}` : `: ${name}`;
  const text = `SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter${setting.replace(/^in/, " in")}\0\0`;
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(text.length + 4, 1);
  return Buffer.concat([head, Buffer.from(text)]);
}
