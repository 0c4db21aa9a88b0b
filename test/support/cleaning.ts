import { expect } from "bun:test";
import { cleanImage, MalformedImage } from "#src/platform/images/clean";

export const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** Returns the cleaned image in hexadecimal; checks that cleaning it again changes nothing. */
export function cleaned(bytes: Uint8Array): string {
  const once = cleanImage(bytes);
  expect(cleanImage(once.bytes)).toEqual(once);
  return hex(once.bytes);
}

/** Expects that an image is rejected as malformed, for this reason. */
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
