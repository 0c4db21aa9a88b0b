import { connect, type Socket } from "node:net";

/** A raw connection, the bytes received on it, and whether it is closed. */
export class Line {
  readonly socket: Socket;
  received = "";
  isClosed = false;

  constructor(url: string, ...bytes: (string | Uint8Array)[]) {
    const { hostname, port } = new URL(url);
    this.socket = connect(Number(port), hostname);
    this.socket.on("data", (data) => {
      this.received += data.toString("latin1");
    });
    this.socket.on("error", () => {});
    this.socket.on("close", () => {
      this.isClosed = true;
    });
    for (const some of bytes) this.socket.write(some);
  }

  get status() {
    return Number(/^HTTP\/1\.1 (\d+)/.exec(this.received)?.[1] ?? 0);
  }

  end() {
    this.socket.destroy();
  }
}
