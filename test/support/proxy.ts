import { afterAll } from "bun:test";
import { connect, createServer, type Socket } from "node:net";

/** A proxy in front of an API, which can be redirected, cut connections, drop responses or stall. */
export class TestProxy {
  private readonly pairs = new Set<readonly [Socket, Socket]>();
  private isSilent = false;
  private isMute = false;
  url = "";

  private constructor(private target: string) {}

  static async start(target: string): Promise<TestProxy> {
    const proxy = new TestProxy(target);
    const server = createServer((client) => proxy.join(client));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    proxy.url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    afterAll(() => {
      proxy.cut();
      server.close();
    });
    return proxy;
  }

  private join(client: Socket) {
    const { hostname, port } = new URL(this.target);
    const upstream = connect(Number(port), hostname);
    const pair = [client, upstream] as const;
    this.pairs.add(pair);
    for (const [from, to] of [pair, [upstream, client]] as const) {
      from.on("data", (bytes) => {
        const isHeld = this.isSilent || (this.isMute && from === upstream);
        if (!isHeld) to.write(bytes);
      });
      // Sends buffered data before closing.
      from.on("end", () => to.end());
      from.on("error", () => to.destroy());
      from.on("close", () => {
        to.end();
        this.pairs.delete(pair);
      });
    }
  }

  /** Returns the number of open connections. */
  get connections() {
    return this.pairs.size;
  }

  /** Connects later clients to this address. */
  lead(target: string) {
    this.target = target;
  }

  /** Breaks all connections. */
  cut() {
    for (const [client, upstream] of this.pairs) {
      client.destroy();
      upstream.destroy();
    }
  }

  /** Forwards requests and drops their responses. */
  silenceResponses(isMute: boolean) {
    this.isMute = isMute;
  }

  /** Keeps all connections open and forwards nothing. */
  silence(isSilent: boolean) {
    this.isSilent = isSilent;
  }
}
