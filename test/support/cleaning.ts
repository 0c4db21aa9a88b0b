import { expect } from "bun:test";
import { cleanImage, MalformedImage } from "#src/platform/images/clean";

export const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** The cleaned image, in hexadecimal, once it is seen that cleaning it again changes nothing. */
export function cleaned(bytes: Uint8Array): string {
  const once = cleanImage(bytes);
  expect(cleanImage(once.bytes)).toEqual(once);
  return hex(once.bytes);
}

/** Refused as malformed for this reason and no other. */
export function expectMalformed(bytes: Uint8Array, reason: string): void {
  let refusal: unknown;
  try {
    cleanImage(bytes);
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toBeInstanceOf(MalformedImage);
  expect((refusal as MalformedImage).reason).toContain(reason);
}
