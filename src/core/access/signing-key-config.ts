import { z } from "zod";
import { configSection, type RawEnvironment } from "../../platform/environment.ts";

export type SigningKeyConfig = {
  /** The keys of access tokens by ES256, as configured: PKCS#8 in PEM, or a private JWK. */
  signingKeys: {
    /** Signs; null: access tokens are signed by `JWT_SECRET`. */
    current: string | null;
    /** Published and accepted, but signs nothing yet. */
    next: string | null;
    /** Published and accepted, but signs nothing any more. */
    previous: string | null;
  };
  /** Whether access tokens that are signed by `JWT_SECRET` are accepted. */
  acceptHs256: boolean;
};

const NAMES = ["JWT_SIGNING_KEY", "JWT_SIGNING_KEY_NEXT", "JWT_SIGNING_KEY_PREVIOUS"] as const;

/** The configuration of the keys by which others verify access tokens (rules 6.12). */
export const signingKeyConfig = configSection({
  variables: {
    JWT_SIGNING_KEY: z.string().optional(),
    JWT_SIGNING_KEY_NEXT: z.string().optional(),
    JWT_SIGNING_KEY_PREVIOUS: z.string().optional(),
    JWT_ACCEPT_HS256: z.enum(["on", "off"]).default("on"),
  },
  secrets: NAMES,
  check: (raw) => [
    ...NAMES.filter((name) => raw[name] && !isPrivateKey(raw[name])).map(
      (name) => `${name} must be a private key of P-256: PKCS#8 in PEM, or a JWK (bun run signing-key)`,
    ),
    ...repeated(raw).map((name) => `${name} must differ from the other signing keys`),
    ...(raw.JWT_ACCEPT_HS256 === "off" && !raw.JWT_SIGNING_KEY
      ? ["JWT_ACCEPT_HS256 can be off only with JWT_SIGNING_KEY"]
      : []),
  ],
  read: (env): SigningKeyConfig => ({
    signingKeys: {
      current: env.JWT_SIGNING_KEY ?? null,
      next: env.JWT_SIGNING_KEY_NEXT ?? null,
      previous: env.JWT_SIGNING_KEY_PREVIOUS ?? null,
    },
    acceptHs256: env.JWT_ACCEPT_HS256 === "on",
  }),
});

const repeated = (raw: RawEnvironment) =>
  NAMES.filter((name, index) => raw[name] && NAMES.slice(0, index).some((other) => raw[other] === raw[name]));

/** The encoded identifiers of an elliptic curve's key and of P-256 (RFC 5480), which PKCS#8 contains. */
const P256 = Buffer.from("06072a8648ce3d020106082a8648ce3d030107", "hex");
const COORDINATE = /^[A-Za-z0-9_-]{43}$/;

/** Whether this looks like a private key of P-256. Whether its numbers are one is seen when it is imported. */
function isPrivateKey(text: string): boolean {
  const [, pem] =
    /^\s*-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----\s*$/.exec(text) ?? [];
  if (pem !== undefined) return Buffer.from(pem, "base64").includes(P256);
  try {
    const { kty, crv, d, x, y } = JSON.parse(text);
    return (
      kty === "EC" &&
      crv === "P-256" &&
      [d, x, y].every((part) => typeof part === "string" && COORDINATE.test(part))
    );
  } catch {
    return false;
  }
}
