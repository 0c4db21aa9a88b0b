import { type App, memoizePerApp, type Service } from "#kit";
import { createCipher, type Rekeyed, rekeyRows } from "#kit/inside";
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

/** Re-encrypts the secrets of connections with the current key. */
export async function rekeyConnectionSecrets({ app, db }: Service): Promise<Rekeyed> {
  if (app.config.connectionKey === null) return { encrypted: 0, unreadable: 0 };
  const cipher = connectionCipher(app);
  return rekeyRows(
    (page) => queries.listConnectionSecretsOfOtherKeys.run({ keyId: cipher.keyId, ...page }, db),
    ({ id, clientSecret: before }) => {
      const secret = cipher.encrypt(cipher.decrypt(before));
      return queries.replaceConnectionSecret.run({ id, secret, before }, db.writes);
    },
  );
}
