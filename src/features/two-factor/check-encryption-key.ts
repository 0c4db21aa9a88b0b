import * as queries from "#sql/two-factor";
import type { Service } from "../../core/context.ts";
import { exactlyOne } from "../../platform/db/prepared-query.ts";

/**
 * Says at the start that second factors are out of reach, as their secrets were encrypted with another key: their codes
 * are answered by 500 until the old key is back, recovery codes work, and platform administrators can reset them.
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
