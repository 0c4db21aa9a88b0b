import { connect, createServer, type Socket } from "node:net";
import type { Random } from "../../support/image-mutations.ts";

/** How many of a thousand pieces break their connection on a flaky network. */
const BROKEN_OF_1000 = 80;

/** A network between an instance and what it depends on, which can be slow, lose packets, or be gone. */
export class Network {
  port = 0;
  private readonly sockets = new Set<Socket>();
  private readonly lost = new WeakSet<Socket>();
  private delayMs = 0;
  private isGone = false;
  private isSilent = false;
  private isVanishing = false;
  private breaks: Random | null = null;
  private readonly server = createServer({ allowHalfOpen: true }, (client) => this.join(client));

  private constructor(private readonly target: () => { host: string; port: number }) {}

  /** @param target asked for each connection, because it may move */
  static async to(target: () => { host: string; port: number }): Promise<Network> {
    const network = new Network(target);
    await new Promise<void>((resolve) => network.server.listen(0, "127.0.0.1", resolve));
    network.port = (network.server.address() as { port: number }).port;
    return network;
  }

  /** Breaks every connection. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Breaks every connection, and refuses new ones until `restore`. */
  remove(): void {
    this.isGone = true;
    this.cut();
  }

  /** Delays everything by this time, in both directions. */
  slow(milliseconds: number): void {
    this.delayMs = milliseconds;
  }

  /** Loses everything that is sent, while connections stay open; what was lost breaks them when it is over. */
  silence(): void {
    this.isSilent = true;
  }

  /** Connections that are open, or opened until `restore`, stay so and never carry anything again, as behind a router that forgot them. */
  vanish(): void {
    this.isVanishing = true;
    for (const socket of this.sockets) this.lost.add(socket);
  }

  /** Breaks connections by chance, just before or just after something was carried. */
  flake(random: Random): void {
    this.breaks = random;
  }

  restore(): void {
    if (this.isSilent) this.cut();
    this.isGone = this.isSilent = this.isVanishing = false;
    this.delayMs = 0;
    this.breaks = null;
  }

  stop(): void {
    this.cut();
    this.server.close();
  }

  private join(client: Socket) {
    if (this.isGone) {
      client.destroy();
      return;
    }
    const { host, port } = this.target();
    const upstream = connect({ port, host, allowHalfOpen: true });
    this.carry(client, upstream, () => false);
    // That the other side hung up gets lost as well.
    this.carry(upstream, client, () => this.lost.has(upstream));
  }

  private carry(from: Socket, to: Socket, isEndLost: () => boolean) {
    this.sockets.add(from);
    if (this.isVanishing) this.lost.add(from);
    from.setNoDelay(true);
    const inOrder = ordered(() => this.delayMs);
    from.on("data", (bytes) => {
      if (this.isSilent || this.lost.has(from)) return;
      const isBroken = this.breaks !== null && this.breaks(1_000) < BROKEN_OF_1000;
      const isCarried = !isBroken || this.breaks?.(2) === 0;
      inOrder(() => {
        const end = () => isBroken && [from, to].map((socket) => socket.destroy());
        if (isCarried && to.writable) to.write(bytes, end);
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

/** Runs what it is given after the delay of its time, and never before what was given earlier. */
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
