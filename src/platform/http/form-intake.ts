import { payloadTooLarge, serviceUnavailable } from "../errors.ts";
import { chunksOf, gathered } from "./chunks.ts";
import { uploadQuotaExceeded } from "./form-errors.ts";

/*
 * How the bytes of forms come in: so many at once, of all and of one person, and one form after the other where work is to be done on them.
 */

const MB = 1024 * 1024;
export const MAX_BYTES = 26 * MB;
/** What all forms that are at work may hold together; who comes on top of that is told to come again. */
const MAX_BYTES_AT_ONCE = 320 * MB;
/** Those of one person: five, more than the quota of a day has room for. Nobody keeps the others from sending theirs. */
const MAX_BYTES_OF_ONE = 5 * MAX_BYTES;

let bytesAtOnce = 0;
const bytesOf = new Map<string, number>();
let turns: Promise<void> = Promise.resolve();

/** What all forms hold now. */
export const uploadBytesInFlight = (): number => bytesAtOnce;

/** The body of one form, which counts as held in memory until it is let go. */
export class FormIntake {
  private held = 0;

  constructor(private readonly userId: string) {}

  /** @throws payloadTooLarge, requestTimeout, serviceUnavailable, uploadQuotaExceeded */
  async *read(body: ReadableStream<Uint8Array>, milliseconds: number): AsyncGenerator<Uint8Array> {
    for await (const piece of gathered(chunksOf(body, milliseconds))) {
      if (this.held + piece.length > MAX_BYTES) throw payloadTooLarge();
      this.hold(piece.length);
      yield piece;
    }
  }

  release(): void {
    this.count(-this.held);
  }

  private hold(bytes: number): void {
    if (bytesAtOnce + bytes > MAX_BYTES_AT_ONCE)
      throw serviceUnavailable(new Error("Too many uploads at once"));
    if ((bytesOf.get(this.userId) ?? 0) + bytes > MAX_BYTES_OF_ONE) throw uploadQuotaExceeded(1);
    this.count(bytes);
  }

  private count(bytes: number): void {
    this.held += bytes;
    bytesAtOnce += bytes;
    const ofOne = (bytesOf.get(this.userId) ?? 0) + bytes;
    if (ofOne === 0) bytesOf.delete(this.userId);
    else bytesOf.set(this.userId, ofOne);
  }
}

/**
 * Lets other requests have their turn, where something has taken milliseconds. Of several forms that arrive at once one
 * goes on at a time, or all of them together would hold up everybody.
 */
export function yieldToEventLoop(): Promise<void> {
  turns = turns.then(() => new Promise((resolve) => setTimeout(resolve)));
  return turns;
}
