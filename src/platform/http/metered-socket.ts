import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { setImmediate as nextIteration } from "node:timers/promises";

/** The error if a server sends more than the client allows. */
export class ResponseTooLarge extends Error {}

/** At most this many bytes are parsed in one iteration of the event loop. */
const SLICE_BYTES = 16 * 1024;

/**
 * A connection that counts everything that the server sends: status lines, headers, informational responses, framing
 * and bodies before decompression. It also passes the bytes on in small slices, one in each iteration of the event loop.
 * A limit of the body alone is not enough: informational responses without end, or a body in chunks of one byte,
 * occupy the only JavaScript thread for seconds.
 */
export class MeteredSocket extends Duplex {
  private continueReading = () => {};

  /**
   * @param limits the maximum number of received bytes, and a signal that aborts the connection. Beyond the limit the
   * connection is destroyed with ResponseTooLarge.
   */
  constructor(
    private readonly socket: Socket,
    private readonly limits: { maxBytes: number; signal: AbortSignal },
  ) {
    super();
    limits.signal.addEventListener("abort", this.abort);
    socket.on("timeout", () => this.emit("timeout"));
    void this.receive();
  }

  private readonly abort = () => this.destroy(this.limits.signal.reason);

  private async receive(): Promise<void> {
    let received = 0;
    try {
      if (this.limits.signal.aborted) this.abort();
      for await (const bytes of this.socket) {
        for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
          if (start > 0) await nextIteration();
          const slice = bytes.subarray(start, start + SLICE_BYTES);
          received += slice.length;
          if (received > this.limits.maxBytes) throw new ResponseTooLarge("The response is too large");
          if (!this.push(slice)) await new Promise<void>((resolve) => (this.continueReading = resolve));
          if (this.destroyed) return;
        }
      }
      this.push(null);
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  /** Sets the idle timeout in milliseconds, which `node:http` expects of a connection. */
  setTimeout(milliseconds: number, onTimeout?: () => void): this {
    this.socket.setTimeout(milliseconds);
    if (onTimeout) this.once("timeout", onTimeout);
    return this;
  }

  override _read(): void {
    this.continueReading();
  }

  override _write(bytes: Buffer, encoding: BufferEncoding, done: () => void): void {
    // An error of the connection is reported where it is read, with its cause.
    this.socket.write(bytes, encoding, () => done());
  }

  override _final(done: () => void): void {
    this.socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.limits.signal.removeEventListener("abort", this.abort);
    this.socket.destroy();
    this.continueReading();
    done(error);
  }
}
