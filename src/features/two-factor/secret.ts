import { type App, exactlyOne, type Service } from "#kit";
import { type Rekeyed, WrongEncryptionKeyError } from "#kit/inside";
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

const SECRETS_AT_ONCE = 100;
const NOBODY = "00000000-0000-0000-0000-000000000000";

/** Re-encrypts two-factor secrets with the current key. Can be interrupted and repeated. */
export async function rekeySecrets({ app: { twoFactorCipher: cipher }, db }: Service): Promise<Rekeyed> {
  const total: Rekeyed = { encrypted: 0, unreadable: 0 };
  for (let after = NOBODY; ; ) {
    const sought = { keyId: cipher.keyId, after, max: SECRETS_AT_ONCE };
    const found = await queries.listSecretsOfOtherKeys.run(sought, db);
    const anew = found.flatMap(({ userId, sealedSecret }) => {
      try {
        return [{ userId, before: sealedSecret, encrypted: cipher.encrypt(cipher.decrypt(sealedSecret)) }];
      } catch (error) {
        if (!(error instanceof WrongEncryptionKeyError)) throw error;
        total.unreadable += 1;
        return [];
      }
    });
    const replaced = await queries.replaceSecrets.run(
      {
        userIds: anew.map(({ userId }) => userId),
        before: anew.map(({ before }) => before),
        encrypted: anew.map(({ encrypted }) => encrypted),
      },
      db.writes,
    );
    total.encrypted += replaced.length;
    const last = found.at(-1);
    if (last === undefined || found.length < SECRETS_AT_ONCE) return total;
    after = last.userId;
  }
}
