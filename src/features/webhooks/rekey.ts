import type { Service } from "#kit";
import { type Rekeyed, rekeyRows } from "#kit/inside";
import * as queries from "#sql/webhooks";
import { webhookCipher } from "./secret.ts";

/** Re-encrypts the secrets of webhook endpoints with the current key. */
export function rekeyWebhookSecrets({ app, db }: Service): Promise<Rekeyed> {
  const cipher = webhookCipher(app);
  const anew = (secret: string) =>
    secret.startsWith(cipher.keyId) ? secret : cipher.encrypt(cipher.decrypt(secret));
  return rekeyRows(
    (page) => queries.listWebhookSecretsOfOtherKeys.run({ keyId: cipher.keyId, ...page }, db),
    ({ id, secret, previousSecret }) => {
      const values = { secret: anew(secret), previousSecret: previousSecret && anew(previousSecret) };
      const before = { secretBefore: secret, previousSecretBefore: previousSecret };
      return queries.replaceWebhookSecret.run({ id, ...values, ...before }, db.writes);
    },
  );
}
