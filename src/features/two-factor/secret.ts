import type { App } from "#kit";
import { WrongEncryptionKeyError } from "#kit/inside";

/** Encrypts the secret of a user's authenticator app for storage, bound to the user. */
export const encryptSecret = ({ twoFactorCipher }: App, userId: string, secret: string): string =>
  twoFactorCipher.encrypt({ userId, secret });

/**
 * Decrypts the secret of a user's authenticator app. If this fails, the service is misconfigured, so it never
 * counts as a wrong code. Recovery codes still work, and a platform administrator can reset the account's second
 * factor.
 * @throws an error
 */
export function decryptSecret({ twoFactorCipher }: App, userId: string, ciphertext: string): string {
  try {
    const opened = twoFactorCipher.decrypt(ciphertext) as { userId: string; secret: string };
    if (opened.userId === userId) return opened.secret;
  } catch (cause) {
    const why =
      cause instanceof WrongEncryptionKeyError
        ? "was encrypted with another TWO_FACTOR_ENCRYPTION_KEY"
        : "was changed";
    throw new Error(`The two-factor secret of user ${userId} ${why}`, { cause });
  }
  throw new Error(`The two-factor secret of user ${userId} is another user's`);
}
