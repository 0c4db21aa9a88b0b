import { mail, notifyAll, type Permission, type Tx } from "#kit";
import { fromStored } from "#kit/inside";
import { reserveAccountMail } from "#sql/service-accounts";
import { listHolders } from "../../core/accounts/memberships.ts";
import { LIMITS } from "./limits.ts";

type KeyRow = {
  id: string;
  serviceAccountId: string;
  organizationId: string;
  name: string;
  start: string;
  expiresAt: Date | null;
};

const MAILS = { API_KEY_EXPIRING: "apiKeyExpiring", API_KEY_REPORTED: "apiKeyReported" } as const;
const CREATE: Permission = "ApiKeys.Create";

/**
 * Notifies members who may create keys in the whole organization about a key, in the application and by mail. The keys of an account
 * are the subject of one mail an hour to each of them.
 */
export async function notifyHolders(tx: Tx, type: keyof typeof MAILS, key: KeyRow): Promise<void> {
  const { id: keyId, serviceAccountId, organizationId, name, start } = key;
  const expiresAt = key.expiresAt?.toISOString() ?? null;
  const holders = await listHolders(tx, organizationId, CREATE);
  const ids = holders.map(({ id }) => id);
  await notifyAll(tx, ids, type, { keyId, serviceAccountId, name, start, expiresAt, organizationId });
  const [isMailed] = await reserveAccountMail.run(
    { id: serviceAccountId, seconds: LIMITS.mails.perSeconds },
    tx.db,
  );
  for (const { email, language, organizationName } of isMailed === undefined ? [] : holders)
    await mail(tx, {
      kind: MAILS[type],
      to: email,
      language: fromStored(language),
      data: { name, start, organizationName, serviceAccountId, expiresAt },
    });
}
