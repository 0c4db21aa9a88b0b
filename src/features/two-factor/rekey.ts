import type { Service } from "#kit";
import { type Rekeyed, WrongEncryptionKeyError } from "#kit/inside";
import * as queries from "#sql/two-factor";

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
