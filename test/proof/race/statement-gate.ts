import { connect, createServer, type Socket } from "node:net";

const QUERY = "Q".charCodeAt(0);
const EXECUTE = "E".charCodeAt(0);
const HEADER = 5;

type Connection = { upstream: Socket; rest: Buffer; hasStarted: boolean; buffered: Buffer[] };

/**
 * A proxy of PostgreSQL that can stop before a chosen statement. It counts the Execute and simple query messages of
 * all connections. From the chosen statement on, it buffers all messages of the clients until the gate is opened.
 */
export class StatementGate {
  port = 0;
  /** The number of statements since the count was restarted. */
  statements = 0;
  private at = Number.POSITIVE_INFINITY;
  private isClosed = false;
  private onReached = () => {};
  private readonly connections = new Set<Connection>();
  private readonly server = createServer((client) => this.join(client));

  private constructor(private readonly target: { host: string; port: number }) {}

  static async start(target: { host: string; port: number }): Promise<StatementGate> {
    const gate = new StatementGate(target);
    await new Promise<void>((resolve) => gate.server.listen(0, "127.0.0.1", resolve));
    gate.port = (gate.server.address() as { port: number }).port;
    return gate;
  }

  /**
   * Restarts the count, and stops before statement number `at`. The promise resolves when the gate has stopped a
   * statement.
   */
  set(at = Number.POSITIVE_INFINITY): Promise<void> {
    this.statements = 0;
    this.at = at;
    return new Promise((resolve) => {
      this.onReached = resolve;
    });
  }

  /** Opens the gate: sends the buffered messages, and passes all later messages on at once. */
  open(): void {
    this.at = Number.POSITIVE_INFINITY;
    this.isClosed = false;
    for (const connection of this.connections)
      for (const message of connection.buffered.splice(0)) connection.upstream.write(message);
  }

  stop(): void {
    for (const { upstream } of this.connections) upstream.destroy();
    this.server.close();
  }

  private join(client: Socket) {
    const upstream = connect(this.target.port, this.target.host);
    const connection: Connection = { upstream, rest: Buffer.alloc(0), hasStarted: false, buffered: [] };
    this.connections.add(connection);
    for (const socket of [client, upstream]) socket.setNoDelay(true);
    client.on("data", (bytes) => this.receive(connection, bytes as Buffer));
    upstream.on("data", (bytes) => client.write(bytes));
    const end = () => {
      this.connections.delete(connection);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on("close", end).on("error", end);
  }

  /**
   * Splits the received bytes into messages of PostgreSQL's protocol. Only the first message of a connection has no
   * type.
   */
  private receive(connection: Connection, bytes: Buffer) {
    connection.rest = connection.rest.length === 0 ? bytes : Buffer.concat([connection.rest, bytes]);
    const forwarded: Buffer[] = [];
    for (;;) {
      const start = connection.hasStarted ? 1 : 0;
      if (connection.rest.length < start + 4) break;
      const end = start + connection.rest.readUInt32BE(start);
      if (connection.rest.length < end) break;
      const message = connection.rest.subarray(0, end);
      connection.rest = connection.rest.subarray(end);
      if (this.mustBuffer(connection, message)) connection.buffered.push(message);
      else forwarded.push(message);
      // Requests for TLS and cancellations have the same format as the startup message.
      if (!connection.hasStarted) connection.hasStarted = message.readUInt32BE(4) === 0x30000;
    }
    if (forwarded.length > 0) connection.upstream.write(Buffer.concat(forwarded));
  }

  private mustBuffer(connection: Connection, message: Buffer): boolean {
    const isStatement =
      connection.hasStarted && message.length >= HEADER && (message[0] === QUERY || message[0] === EXECUTE);
    if (isStatement && !this.isClosed) {
      this.statements += 1;
      if (this.statements >= this.at) {
        this.isClosed = true;
        this.onReached();
      }
    }
    return this.isClosed;
  }
}
