import { expect, test } from "bun:test";
import { findStep, newSecret, otpauthUrl } from "../../../src/features/two-factor/totp.ts";
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

test("a code may drift by one time step in both directions, not by two; codes up to the last used step are refused", () => {
  const step = 41_152_263;
  const codeOf = (drift: number) => codeOfStep(fromBase32(SECRET), step + drift);
  for (const drift of [-1, 0, 1]) expect(find(codeOf(drift), step)).toBe(step + drift);
  for (const drift of [-2, 2]) expect(find(codeOf(drift), step)).toBeNull();
  expect(find(codeOf(0), step, step - 1)).toBe(step);
  expect(find(codeOf(0), step, step)).toBeNull();
  expect(find(codeOf(-1), step, step)).toBeNull();
  expect(find(codeOf(1), step, step)).toBe(step + 1);
});

test("a second-factor secret has 160 random bits, and its otpauth URL states the parameters", () => {
  const secrets = new Set(Array.from({ length: 100 }, newSecret));
  expect(secrets.size).toBe(100);
  for (const secret of secrets) expect(fromBase32(secret)).toHaveLength(20);

  const url = new URL(otpauthUrl(SECRET, { issuer: "app.test", label: "ada@example.com" }));
  expect(url.href).toStartWith("otpauth://totp/app.test:ada%40example.com?");
  expect(Object.fromEntries(url.searchParams)).toEqual({
    issuer: "app.test",
    secret: SECRET,
    algorithm: "SHA1",
    digits: "6",
    period: "30",
  });
});
