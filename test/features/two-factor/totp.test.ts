import { expect, test } from "bun:test";
import { findStep } from "../../../src/features/two-factor/totp.ts";
import { codeOfStep, fromBase32 } from "../../support/two-factor.ts";

/** Test vectors of RFC 6238, appendix B, for SHA-1. The service uses the last six of their eight digits. */
const VECTORS: [seconds: number, code: string][] = [
  [59, "94287082"],
  [1_111_111_109, "07081804"],
  [1_111_111_111, "14050471"],
  [1_234_567_890, "89005924"],
  [2_000_000_000, "69279037"],
  [20_000_000_000, "65353130"],
];
/** "12345678901234567890" in base32. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

const find = (code: string, currentStep: number, lastStep = -1) =>
  findStep(SECRET, code, { currentStep, lastStep });

test("the service and the tests' authenticator app compute the codes of RFC 6238", () => {
  for (const [seconds, code] of VECTORS) {
    const step = Math.floor(seconds / 30);
    expect(find(code.slice(-6), step)).toBe(step);
    expect(codeOfStep(fromBase32(SECRET), step)).toBe(code.slice(-6));
  }
});
