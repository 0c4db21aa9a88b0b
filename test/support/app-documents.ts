import { afterAll } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";

/** How a server sends a document. */
type Sending = {
  status?: number;
  headers?: Record<string, string>;
  /** Replaces the JSON of the document. */
  body?: string | Uint8Array;
  delayMs?: number;
  /** What the server waits for. */
  after?: Promise<unknown>;
  /** Answers instead, by bytes of its own. */
  instead?: (socket: Socket) => void;
};

type Properties = Record<string, unknown>;

/** A document that is served; a test may change it. */
export type Served = { id: string; redirectUri: string; properties: Properties; sending: Sending };

/** A server of documents by which apps describe themselves, on this machine. */
export class AppDocuments {
  /** The requests in the order of their arrival: path and headers as they were sent. */
  readonly requests: { path: string; head: string }[] = [];
  connections = 0;
  atOnce = 0;
  mostAtOnce = 0;
  private readonly served = new Map<string, Served>();
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /** Starts a server for one test file. */
  static async start(): Promise<AppDocuments> {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const documents = new AppDocuments(server, (server.address() as { port: number }).port);
    server.on("connection", (socket) => documents.accept(socket));
    afterAll(() => documents.stop());
    return documents;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Serves a document at a new address. */
  publish(properties: Properties = {}, sending: Sending = {}, origin = this.origin): Served {
    const path = `/${crypto.randomUUID()}/client.json`;
    const redirectUri = "https://agent.example.com/callback";
    const id = origin + path;
    const complete = { client_id: id, client_name: "Agent", redirect_uris: [redirectUri], ...properties };
    const served = { id, redirectUri, properties: complete, sending };
    this.served.set(path, served);
    return served;
  }

  /** Returns how often the document was requested. */
  countOf({ id }: Pick<Served, "id">): number {
    const { pathname } = new URL(id);
    return this.requests.filter(({ path }) => path === pathname).length;
  }

  private accept(socket: Socket): void {
    this.connections += 1;
    this.sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => this.sockets.delete(socket));
    socket.once("data", (bytes) => void this.answer(socket, bytes.toString("latin1")));
  }

  private async answer(socket: Socket, head: string): Promise<void> {
    const path = head.split(" ")[1] ?? "";
    this.requests.push({ path, head });
    const found = this.served.get(path);
    this.atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.atOnce);
    await Bun.sleep(found?.sending.delayMs ?? 0);
    await found?.sending.after;
    this.atOnce -= 1;
    if (found === undefined) socket.end("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
    else if (found.sending.instead !== undefined) found.sending.instead(socket);
    else send(socket, found);
  }

  private async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((closed) => this.server.close(closed));
  }
}

function send(socket: Socket, { properties, sending }: Served): void {
  const body = Buffer.from(sending.body ?? JSON.stringify(properties));
  const headers = {
    "content-type": "application/json",
    "content-length": String(body.length),
    ...sending.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${sending.status ?? 200} X\r\n${lines.join("")}\r\n`);
  socket.end(body);
}

/** Sends `begin`, then `part` without end, as fast as it is read. */
export const endless = (begin: string, part: string) => (socket: Socket) => {
  const block = part.repeat(Math.ceil(65_536 / part.length));
  const more = () => {
    while (!socket.destroyed && socket.write(block));
  };
  socket.on("drain", more);
  socket.write(begin);
  more();
};
