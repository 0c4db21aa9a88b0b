import { expect, test } from "bun:test";
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { join } from "node:path";
import { unwrapEC2Signature } from "../../src/dev/edge/unwrap-ec2-signature.ts";

/* The bundle of the edge replaces this function of @simplewebauthn/server, which does not export it. */
const LIBRARY = "node_modules/@simplewebauthn/server/esm/helpers/iso/isoCrypto/unwrapEC2Signature.js";
const library = await import(join(import.meta.dir, "../..", LIBRARY));
const P256 = 1;
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

function orNull(unwrap: () => Uint8Array): string | null {
  try {
    return Buffer.from(unwrap()).toString("hex");
  } catch {
    return null;
  }
}
const both = (der: Buffer) => [
  orNull(() => unwrapEC2Signature(der)),
  orNull(() => library.unwrapEC2Signature(der, P256)),
];

test("a signature in DER is unwrapped at the edge as by the library, short numbers included", () => {
  for (let round = 0; round < 2_000; round += 1) {
    const [ours, theirs] = both(sign("sha256", randomBytes(16), privateKey));
    expect(ours).not.toBeNull();
    expect(ours).toBe(theirs ?? "");
  }
});

test("bytes that are no signature in DER are refused at the edge, or are what the library makes of them", () => {
  let refused = 0;
  for (let round = 0; round < 2_000; round += 1) {
    const der = sign("sha256", randomBytes(16), privateKey);
    const at = randomBytes(1)[0] ?? 0;
    const changed =
      round % 2 === 0 ? Buffer.from(der.subarray(0, at % der.length)) : Buffer.concat([der, randomBytes(at)]);
    if (round % 3 === 0) changed[at % 8] = randomBytes(1)[0] ?? 0;
    const [ours, theirs] = both(changed);
    if (ours === null) refused += 1;
    else expect(ours).toBe(theirs ?? "");
  }
  expect(refused).toBeGreaterThan(1_500);
});
