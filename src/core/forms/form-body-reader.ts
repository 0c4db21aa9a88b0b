import { payloadTooLarge, serviceUnavailable } from "../../platform/errors.ts";
import { coalesced, readChunks } from "../../platform/http/body.ts";
import { Permits } from "../../platform/limits/permits.ts";
import { LIMITS, MB } from "../definitions/limits.ts";
import { uploadQuotaExceeded } from "./image-limits.ts";

export const MAX_FORM_BYTES = 26 * MB;

/** Creates the memory for forms of an instance. A form's bytes are in use from their arrival until it is released. */
export const createFormMemory = () =>
  new Permits(LIMITS.forms.levels, {
    account: () => uploadQuotaExceeded(1),
    instance: () => serviceUnavailable(new Error("Too many uploads at once")),
  });
export type FormMemory = ReturnType<typeof createFormMemory>;

/**
 * Reads the body of a form in chunks.
 * @param reserve reserves memory for everything that has arrived
 * @throws payloadTooLarge, requestTimeout, and the errors of `reserve`
 */
export async function* readFormChunks(
  body: ReadableStream<Uint8Array>,
  milliseconds: number,
  reserve: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of coalesced(readChunks(body, milliseconds))) {
    size += piece.length;
    if (size > MAX_FORM_BYTES) throw payloadTooLarge();
    reserve(size);
    yield piece;
  }
}

let yields: Promise<void> = Promise.resolve();

/**
 * Lets other requests run after work that took milliseconds. If several forms are processed concurrently, only one
 * continues at a time; together they would block the event loop.
 */
export function yieldToEventLoop(): Promise<void> {
  yields = yields.then(() => new Promise((resolve) => setTimeout(resolve)));
  return yields;
}
