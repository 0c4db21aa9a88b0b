import { Secret, TOTP } from "otpauth";

/*
 * One-time passwords by RFC 6238: SHA-1, six digits, 30 seconds, which is all that every authenticator app takes.
 * Time comes from outside, as the number of the step, because it is the database's.
 */

const PERIOD_SECONDS = 30;
/** One step of clock drift either way; the likeliest first. */
const DRIFTS = [0, -1, 1];

const passwords = (secret: string, names: { issuer?: string; label?: string } = {}) =>
  new TOTP({
    ...names,
    secret: Secret.fromBase32(secret),
    algorithm: "SHA1",
    digits: 6,
    period: PERIOD_SECONDS,
  });

/** 160 random bits in base32, as RFC 4226 recommends. */
export const newSecret = (): string => new Secret({ size: 20 }).base32;

/** What an authenticator app reads: the secret, and what to call it. */
export const otpauthUrl = (secret: string, names: { issuer: string; label: string }): string =>
  passwords(secret, names).toString();

/** The step whose code this is, of those that are near and not used up, or null. */
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
