import { Secret, TOTP } from "otpauth";

/*
 * One-time passwords (RFC 6238) with SHA-1, six digits and 30 seconds, the only parameters that all authenticator
 * apps support. The time is passed as the number of the time step, because the database's clock is used.
 */

const PERIOD_SECONDS = 30;
/** The accepted deviation in time steps: one step of clock drift in either direction; the most likely first. */
const DRIFTS = [0, -1, 1];

const passwords = (secret: string, names: { issuer?: string; label?: string } = {}) =>
  new TOTP({
    ...names,
    secret: Secret.fromBase32(secret),
    algorithm: "SHA1",
    digits: 6,
    period: PERIOD_SECONDS,
  });

/** Returns 160 random bits in base32, as RFC 4226 recommends. */
export const newSecret = (): string => new Secret({ size: 20 }).base32;

/** Returns the URI for authenticator apps: the secret, and the account name to show. */
export const otpauthUrl = (secret: string, names: { issuer: string; label: string }): string =>
  passwords(secret, names).toString();

/** Returns the current or adjacent time step to which this code belongs and that is not used yet; otherwise null. */
export function findStep(
  secret: string,
  code: string,
  { currentStep, lastStep }: { currentStep: number; lastStep: number },
): number | null {
  const totp = passwords(secret);
  const isCodeOf = (step: number) =>
    totp.validate({ token: code, timestamp: step * PERIOD_SECONDS * 1000, window: 0 }) !== null;
  const step = DRIFTS.map((drift) => currentStep + drift).find((near) => near > lastStep && isCodeOf(near));
  return step ?? null;
}
