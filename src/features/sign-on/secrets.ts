import { type App, memoizePerApp, type Service } from "#kit";
import { createCipher, type Rekeyed, WrongEncryptionKeyError } from "#kit/inside";
import * as queries from "#sql/sso-connections";

/** Encrypts the secrets of connections. @throws if single sign-on is off */
export const connectionCipher = cipherFor("connections");

/** Encrypts what providers said, while it waits in the database. @throws if single sign-on is off */
export const answerCipher = cipherFor("sso answer");

function cipherFor(purpose: string) {
  return memoizePerApp(({ config: { connectionKey, connectionKeyPrevious } }: App) => {
    if (connectionKey === null) throw new Error("CONNECTION_ENCRYPTION_KEY is missing");
    return createCipher(connectionKey, purpose, connectionKeyPrevious);
  });
}

const SECRETS_AT_ONCE = 100;
const NONE = "00000000-0000-0000-0000-000000000000";

/** Re-encrypts the secrets of connections with the current key. Can be interrupted and repeated. */
export async function rekeyConnectionSecrets({ app, db }: Service): Promise<Rekeyed> {
  const total: Rekeyed = { encrypted: 0, unreadable: 0 };
  if (app.config.connectionKey === null) return total;
  const cipher = connectionCipher(app);
  for (let after = NONE; ; ) {
    const sought = { keyId: cipher.keyId, after, max: String(SECRETS_AT_ONCE) };
    const found = await queries.listConnectionSecretsOfOtherKeys.run(sought, db);
    for (const { id, clientSecret: before } of found) {
      try {
        const secret = cipher.encrypt(cipher.decrypt(before));
        const replaced = await queries.replaceConnectionSecret.run({ id, secret, before }, db.writes);
        total.encrypted += replaced.length;
      } catch (error) {
        if (!(error instanceof WrongEncryptionKeyError)) throw error;
        total.unreadable += 1;
      }
    }
    const last = found.at(-1);
    if (last === undefined || found.length < SECRETS_AT_ONCE) return total;
    after = last.id;
  }
}
