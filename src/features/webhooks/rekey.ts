import type { Service } from "#kit";
import { type Rekeyed, WrongEncryptionKeyError } from "#kit/inside";
import * as queries from "#sql/webhooks";
import { webhookCipher } from "./secret.ts";

const ENDPOINTS_AT_ONCE = 100;
const NONE = "00000000-0000-0000-0000-000000000000";

/** Re-encrypts the secrets of webhook endpoints with the current key. Can be interrupted and repeated. */
export async function rekeyWebhookSecrets({ app, db }: Service): Promise<Rekeyed> {
  const cipher = webhookCipher(app);
  const total: Rekeyed = { encrypted: 0, unreadable: 0 };
  const anew = (secret: string) =>
    secret.startsWith(cipher.keyId) ? secret : cipher.encrypt(cipher.decrypt(secret));
  for (let after = NONE; ; ) {
    const sought = { keyId: cipher.keyId, after, max: String(ENDPOINTS_AT_ONCE) };
    const found = await queries.listWebhookSecretsOfOtherKeys.run(sought, db);
    for (const { id, secret, previousSecret } of found) {
      try {
        const values = { secret: anew(secret), previousSecret: previousSecret && anew(previousSecret) };
        const before = { secretBefore: secret, previousSecretBefore: previousSecret };
        const replaced = await queries.replaceWebhookSecret.run({ id, ...values, ...before }, db.writes);
        total.encrypted += replaced.length;
      } catch (error) {
        if (!(error instanceof WrongEncryptionKeyError)) throw error;
        total.unreadable += 1;
      }
    }
    const last = found.at(-1);
    if (last === undefined || found.length < ENDPOINTS_AT_ONCE) return total;
    after = last.id;
  }
}
