import { payloadTooLarge, serviceUnavailable } from "../../platform/errors.ts";
import { coalesced, readChunks } from "../../platform/http/chunks.ts";
import { uploadQuotaExceeded } from "./errors.ts";

/*
 * Reads multipart forms within memory limits, for all users together and for each user. Lets only one form at a
 * time be processed.
 */

const MB = 1024 * 1024;
export const MAX_FORM_BYTES = 26 * MB;
/** The maximum memory for all forms in progress together. Above it, a request gets 503. */
const MAX_BYTES_IN_FLIGHT = 320 * MB;
/**
 * The maximum memory for the forms of one user: five forms, more than the daily quota allows, so that no user locks
 * out others.
 */
const MAX_BYTES_PER_USER = 5 * MAX_FORM_BYTES;

let bytesInFlight = 0;
const bytesPerUser = new Map<string, number>();
let yields: Promise<void> = Promise.resolve();

/** Returns the memory that all forms use now, in bytes. */
export const uploadBytesInFlight = (): number => bytesInFlight;

/** The body of one form. Its memory counts as used until it is released. */
export class FormBodyReader {
  private held = 0;

  constructor(private readonly userId: string) {}

  /**
   * Reads the body of a form in chunks. @throws payloadTooLarge, requestTimeout, serviceUnavailable,
   * uploadQuotaExceeded
   */
  async *read(body: ReadableStream<Uint8Array>, milliseconds: number): AsyncGenerator<Uint8Array> {
    for await (const piece of coalesced(readChunks(body, milliseconds))) {
      if (this.held + piece.length > MAX_FORM_BYTES) throw payloadTooLarge();
      this.hold(piece.length);
      yield piece;
    }
  }

  release(): void {
    this.count(-this.held);
  }

  private hold(bytes: number): void {
    if (bytesInFlight + bytes > MAX_BYTES_IN_FLIGHT)
      throw serviceUnavailable(new Error("Too many uploads at once"));
    if ((bytesPerUser.get(this.userId) ?? 0) + bytes > MAX_BYTES_PER_USER) throw uploadQuotaExceeded(1);
    this.count(bytes);
  }

  private count(bytes: number): void {
    this.held += bytes;
    bytesInFlight += bytes;
    const ofOne = (bytesPerUser.get(this.userId) ?? 0) + bytes;
    if (ofOne === 0) bytesPerUser.delete(this.userId);
    else bytesPerUser.set(this.userId, ofOne);
  }
}

/**
 * Lets other requests run after work that took milliseconds. If several forms are processed concurrently, only one
 * continues at a time; together they would block the event loop.
 */
export function yieldToEventLoop(): Promise<void> {
  yields = yields.then(() => new Promise((resolve) => setTimeout(resolve)));
  return yields;
}
