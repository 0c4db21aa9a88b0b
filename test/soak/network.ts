import { connect, createServer, type Socket } from "node:net";

/** A network between an instance and what it depends on, which can be slow, lose packets, or be gone. */
export class Network {
  port = 0;
  private readonly sockets = new Set<Socket>();
  private delayMs = 0;
  private isGone = false;
  private isSilent = false;
  private readonly server = createServer((client) => this.join(client));

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

  restore(): void {
    if (this.isSilent) this.cut();
    this.isGone = this.isSilent = false;
    this.delayMs = 0;
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
    const upstream = connect(port, host);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(from);
      from.setNoDelay(true);
      from.on("data", (bytes) => {
        if (this.isSilent) return;
        const { delayMs } = this;
        if (delayMs === 0) to.write(bytes);
        else setTimeout(() => to.writable && to.write(bytes), delayMs);
      });
      from.on("end", () => setTimeout(() => to.end(), this.delayMs));
      from.on("error", () => to.destroy());
      from.on("close", () => {
        this.sockets.delete(from);
        setTimeout(() => to.destroy(), this.delayMs);
      });
    }
  }
}
