import { mail, type Tx } from "#kit";
import { reserveAccountMail } from "#sql/service-accounts";
import { tellHolders } from "../notifications/tell-holders.ts";
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

/**
 * Notifies members who may create keys in the whole organization about a key, in the application and by mail. The keys of an account
 * are the subject of one mail an hour to each of them.
 */
export async function notifyHolders(tx: Tx, type: keyof typeof MAILS, key: KeyRow): Promise<void> {
  const { id: keyId, serviceAccountId, organizationId, name, start } = key;
  const expiresAt = key.expiresAt?.toISOString() ?? null;
  const about = { serviceAccountId, name, start, expiresAt };
  const once = { id: serviceAccountId, seconds: LIMITS.mails.perSeconds };
  await tellHolders(
    tx,
    { organizationId, permission: "ApiKeys.Create" },
    [type, { ...about, keyId, organizationId }],
    (to, organizationName) => mail(tx, { kind: MAILS[type], ...to, data: { ...about, organizationName } }),
    async () => (await reserveAccountMail.run(once, tx.db)).length > 0,
  );
}
