import { connect, createServer, type Socket } from "node:net";

const QUERY = "Q".charCodeAt(0);
const EXECUTE = "E".charCodeAt(0);
const HEADER = 5;

type Side = { upstream: Socket; rest: Buffer; hasStarted: boolean; held: Buffer[] };

/**
 * A way to PostgreSQL that can stop before a chosen statement: it reads the client's messages, and when the statement
 * with that number begins (an Execute or a simple query, over all connections), it holds that and all that follow.
 */
export class StatementGate {
  port = 0;
  /** Statements since the gate was set. */
  statements = 0;
  private at = Number.POSITIVE_INFINITY;
  private isHolding = false;
  private onReached = () => {};
  private readonly sides = new Set<Side>();
  private readonly server = createServer((client) => this.join(client));

  private constructor(private readonly target: { host: string; port: number }) {}

  static async start(target: { host: string; port: number }): Promise<StatementGate> {
    const gate = new StatementGate(target);
    await new Promise<void>((resolve) => gate.server.listen(0, "127.0.0.1", resolve));
    gate.port = (gate.server.address() as { port: number }).port;
    return gate;
  }

  /** Counts from here on, and stops before statement number `at`; the promise settles when it has stopped. */
  set(at = Number.POSITIVE_INFINITY): Promise<void> {
    this.statements = 0;
    this.at = at;
    return new Promise((resolve) => {
      this.onReached = resolve;
    });
  }

  /** Lets pass what was held, and everything after it. */
  open(): void {
    this.at = Number.POSITIVE_INFINITY;
    this.isHolding = false;
    for (const side of this.sides) for (const message of side.held.splice(0)) side.upstream.write(message);
  }

  stop(): void {
    for (const { upstream } of this.sides) upstream.destroy();
    this.server.close();
  }

  private join(client: Socket) {
    const upstream = connect(this.target.port, this.target.host);
    const side: Side = { upstream, rest: Buffer.alloc(0), hasStarted: false, held: [] };
    this.sides.add(side);
    for (const socket of [client, upstream]) socket.setNoDelay(true);
    client.on("data", (bytes) => this.take(side, bytes as Buffer));
    upstream.on("data", (bytes) => client.write(bytes));
    const end = () => {
      this.sides.delete(side);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on("close", end).on("error", end);
  }

  /** Cuts what arrived into messages; only the first of a connection has no type. */
  private take(side: Side, bytes: Buffer) {
    side.rest = side.rest.length === 0 ? bytes : Buffer.concat([side.rest, bytes]);
    const passed: Buffer[] = [];
    for (;;) {
      const start = side.hasStarted ? 1 : 0;
      if (side.rest.length < start + 4) break;
      const end = start + side.rest.readUInt32BE(start);
      if (side.rest.length < end) break;
      const message = side.rest.subarray(0, end);
      side.rest = side.rest.subarray(end);
      if (this.isHeld(side, message)) side.held.push(message);
      else passed.push(message);
      // A request for TLS or a cancellation comes in the same form as the start.
      if (!side.hasStarted) side.hasStarted = message.readUInt32BE(4) === 0x30000;
    }
    if (passed.length > 0) side.upstream.write(Buffer.concat(passed));
  }

  private isHeld(side: Side, message: Buffer): boolean {
    const isStatement =
      side.hasStarted && message.length >= HEADER && (message[0] === QUERY || message[0] === EXECUTE);
    if (isStatement && !this.isHolding) {
      this.statements += 1;
      if (this.statements >= this.at) {
        this.isHolding = true;
        this.onReached();
      }
    }
    return this.isHolding;
  }
}
