/** Receives the bytes of one part of a multipart body. */
export interface PartSink {
  add(bytes: Uint8Array): void;
  /** Called after the last byte of the part. */
  end(): void;
}

/** The error for a body that is not well-formed multipart/form-data. */
export class MalformedMultipart extends Error {}

const HEAD_BYTES = 8 * 1024;
const END_OF_HEAD = "\r\n\r\n";
const NOTHING: PartSink = { add() {}, end() {} };

/**
 * Parses multipart/form-data incrementally. Implemented here, because the library's search took time proportional to
 * the body times the length of a repetitive boundary. Here the delimiter is searched from its first character, a line
 * break, which a boundary cannot contain. So no byte is compared twice, and the time is linear.
 */
export class MultipartReader {
  private readonly delimiter: Buffer;
  private state: "start" | "after boundary" | "head" | "body" | "end" = "start";
  /** Received bytes that cannot be interpreted before more arrive. */
  private rest: Buffer = Buffer.alloc(0);
  private sink = NOTHING;

  /** @param open called with the headers of each part, unparsed; returns the object that receives the part's bytes */
  constructor(
    boundary: string,
    private readonly open: (head: Uint8Array) => PartSink,
  ) {
    this.delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  }

  /** Whether the closing delimiter has arrived. Everything after it is ignored. */
  get isComplete(): boolean {
    return this.state === "end";
  }

  /** Parses a piece of the body. @throws MalformedMultipart; errors of `open` and of the receivers of bytes */
  write(piece: Uint8Array): void {
    if (this.isComplete) return;
    let data = Buffer.concat([this.rest, piece]);
    while (this.state !== "end") {
      const used = this.step(data);
      if (used === null) break;
      data = data.subarray(used);
    }
    this.rest = data;
  }

  /** Parses one step; returns how many bytes it consumed, or null if it needs more. */
  private step(data: Buffer): number | null {
    switch (this.state) {
      case "start":
        return this.start(data);
      case "after boundary":
        return this.passLineEnd(data);
      case "head":
        return this.readHead(data);
      default:
        return this.readBody(data);
    }
  }

  /** Parses the first delimiter, which has no line break before it. */
  private start(data: Buffer): number | null {
    const first = this.delimiter.subarray(2);
    if (data.length < first.length) return null;
    if (!data.subarray(0, first.length).equals(first)) throw new MalformedMultipart();
    this.state = "after boundary";
    return first.length;
  }

  private passLineEnd(data: Buffer): number | null {
    if (data.length < 2) return null;
    const next = data.toString("latin1", 0, 2);
    if (next !== "--" && next !== "\r\n") throw new MalformedMultipart();
    this.state = next === "--" ? "end" : "head";
    return 2;
  }

  private readHead(data: Buffer): number | null {
    const end = data.indexOf(END_OF_HEAD);
    if (end > HEAD_BYTES || (end < 0 && data.length > HEAD_BYTES)) throw new MalformedMultipart();
    if (end < 0) return null;
    this.sink = this.open(data.subarray(0, end));
    this.state = "body";
    return end + END_OF_HEAD.length;
  }

  private readBody(data: Buffer): number | null {
    const end = data.indexOf(this.delimiter);
    if (end < 0) return this.passBody(data);
    this.sink.add(data.subarray(0, end));
    this.sink.end();
    this.state = "after boundary";
    return end + this.delimiter.length;
  }

  /** Passes the bytes of the body to the sink, except the last ones, which may be the beginning of a delimiter. */
  private passBody(data: Buffer): number | null {
    const length = data.length - this.delimiter.length + 1;
    if (length <= 0) return null;
    this.sink.add(data.subarray(0, length));
    return length;
  }
}
