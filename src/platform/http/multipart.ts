/** Where the bytes of one part go. */
export interface PartSink {
  add(bytes: Uint8Array): void;
  /** Called once all of them are there. */
  end(): void;
}

/** The bytes are no well-formed form. */
export class MalformedMultipart extends Error {}

const HEAD_BYTES = 8 * 1024;
const END_OF_HEAD = "\r\n\r\n";
const NOTHING: PartSink = { add() {}, end() {} };

/**
 * Takes multipart/form-data apart, piece by piece. It is our own because the search of the library grew with the bytes
 * times the length of the boundary where that repeats itself. Here the delimiter is looked for from its first character,
 * a line break, which no boundary holds: nothing is compared twice, and the time grows with the bytes alone.
 */
export class MultipartReader {
  private readonly delimiter: Buffer;
  private state: "start" | "after boundary" | "head" | "body" | "end" = "start";
  /** What cannot be told apart before more has come. */
  private rest: Buffer = Buffer.alloc(0);
  private sink = NOTHING;

  /** @param open is called with the head of each part, its lines as they were sent, for where its bytes go */
  constructor(
    boundary: string,
    private readonly open: (head: Uint8Array) => PartSink,
  ) {
    this.delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  }

  /** Whether the last boundary has come: what follows means nothing. */
  get isComplete(): boolean {
    return this.state === "end";
  }

  /** @throws MalformedMultipart; what `open` and its sinks throw */
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

  /** One step on; returns how many bytes it used, or null where it needs more of them. */
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

  /** The first boundary has no line before it. */
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

  /** All but what may be the beginning of a delimiter. */
  private passBody(data: Buffer): number | null {
    const length = data.length - this.delimiter.length + 1;
    if (length <= 0) return null;
    this.sink.add(data.subarray(0, length));
    return length;
  }
}
