import { exactlyOne, type Service } from "#kit";
import * as queries from "#sql/two-factor";

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
