import { type App, exactlyOne, type Service } from "#kit";
import { type Rekeyed, rekeyRows, WrongEncryptionKeyError } from "#kit/inside";
import * as queries from "#sql/two-factor";

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

/**
 * Logs at the start if secrets of second factors were encrypted with another key. Their codes get 500 until that key
 * is configured again. Recovery codes work, and platform administrators can reset the factors.
 */
export async function checkEncryptionKeyOfSecrets({
  app: { log, twoFactorCipher },
  db,
}: Service): Promise<void> {
  const { keyIds } = twoFactorCipher;
  const { count } = exactlyOne(await queries.countSecretsOfOtherKeys.run({ keyIds }, db));
  if (count > 0)
    log.error("two-factor secrets were encrypted with another TWO_FACTOR_ENCRYPTION_KEY", {
      accounts: count,
    });
}

/** Re-encrypts two-factor secrets with the current key. */
export const rekeySecrets = ({ app: { twoFactorCipher: cipher }, db }: Service): Promise<Rekeyed> =>
  rekeyRows(
    (page) => queries.listSecretsOfOtherKeys.run({ keyId: cipher.keyId, ...page }, db),
    ({ id, sealedSecret: before }) => {
      const encrypted = cipher.encrypt(cipher.decrypt(before));
      return queries.replaceSecret.run({ userId: id, before, encrypted }, db.writes);
    },
  );
