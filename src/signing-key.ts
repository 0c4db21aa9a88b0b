import { exportJWK, generateKeyPair } from "jose";

/** `bun run signing-key`: prints a new value for `JWT_SIGNING_KEY` or `JWT_SIGNING_KEY_NEXT`, a private JWK on one line. */
const { privateKey } = await generateKeyPair("ES256", { extractable: true });
const { kty, crv, x, y, d } = await exportJWK(privateKey);
console.log(JSON.stringify({ kty, crv, x, y, d }));
