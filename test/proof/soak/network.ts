import { connect, createServer, type Socket } from "node:net";
import type { Random } from "../../support/image-mutations.ts";

/** The number of chunks, of a thousand, that reset their connection on an unreliable network. */
const BROKEN_PER_1000 = 80;

/** A TCP proxy between the instances and a dependency. It can delay, lose or reset connections. */
export class Network {
  port = 0;
  private readonly sockets = new Set<Socket>();
  private readonly halfOpen = new WeakSet<Socket>();
  private delayMs = 0;
  private isRefusing = false;
  private isBlackholed = false;
  private isHalfOpen = false;
  private breaks: Random | null = null;
  private readonly server = createServer({ allowHalfOpen: true }, (client) => this.accept(client));

  private constructor(private readonly target: () => { host: string; port: number }) {}

  /** @param target returns the address of the dependency; called for each connection, because its port may change */
  static async start(target: () => { host: string; port: number }): Promise<Network> {
    const network = new Network(target);
    await new Promise<void>((resolve) => network.server.listen(0, "127.0.0.1", resolve));
    network.port = (network.server.address() as { port: number }).port;
    return network;
  }

  /** Resets all connections once. */
  resetConnections(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Resets all connections, and rejects new ones until `restore`. */
  refuse(): void {
    this.isRefusing = true;
    this.resetConnections();
  }

  /** Delays each chunk of data, in both directions. */
  delay(milliseconds: number): void {
    this.delayMs = milliseconds;
  }

  /** Discards all data while connections stay open. `restore` then resets the connections. */
  blackhole(): void {
    this.isBlackholed = true;
  }

  /**
   * Discards data of all connections that exist or are opened before `restore`. They stay open for ever without
   * data, as if a router had forgotten them.
   */
  makeHalfOpen(): void {
    this.isHalfOpen = true;
    for (const socket of this.sockets) this.halfOpen.add(socket);
  }

  /** Resets connections at random, before or after a chunk of data is delivered. */
  makeFlaky(random: Random): void {
    this.breaks = random;
  }

  restore(): void {
    if (this.isBlackholed) this.resetConnections();
    this.isRefusing = this.isBlackholed = this.isHalfOpen = false;
    this.delayMs = 0;
    this.breaks = null;
  }

  stop(): void {
    this.resetConnections();
    this.server.close();
  }

  private accept(client: Socket) {
    if (this.isRefusing) {
      client.destroy();
      return;
    }
    const { host, port } = this.target();
    const upstream = connect({ port, host, allowHalfOpen: true });
    this.forward(client, upstream, () => false);
    // The message that ends a half-open connection is lost as well.
    this.forward(upstream, client, () => this.halfOpen.has(upstream));
  }

  private forward(from: Socket, to: Socket, isEndLost: () => boolean) {
    this.sockets.add(from);
    if (this.isHalfOpen) this.halfOpen.add(from);
    from.setNoDelay(true);
    const inOrder = ordered(() => this.delayMs);
    from.on("data", (bytes) => {
      if (this.isBlackholed || this.halfOpen.has(from)) return;
      const isBroken = this.breaks !== null && this.breaks(1_000) < BROKEN_PER_1000;
      const isDelivered = !isBroken || this.breaks?.(2) === 0;
      inOrder(() => {
        const end = () => isBroken && [from, to].map((socket) => socket.destroy());
        if (isDelivered && to.writable) to.write(bytes, end);
        else end();
      });
    });
    from.on("end", () => isEndLost() || inOrder(() => to.end()));
    from.on("error", () => isEndLost() || to.destroy());
    from.on("close", () => {
      this.sockets.delete(from);
      if (!isEndLost()) inOrder(() => to.destroy());
    });
  }
}

/** Returns a function that runs callbacks after the current delay, in the order in which they were passed. */
function ordered(delayMs: () => number): (deliver: () => void) => void {
  let waiting = Promise.resolve();
  let count = 0;
  return (deliver) => {
    const delay = delayMs();
    if (count === 0 && delay === 0) return deliver();
    count += 1;
    const due = Bun.sleep(delay);
    waiting = waiting
      .then(() => due)
      .then(() => {
        count -= 1;
        deliver();
      });
  };
}
