import { type JobKind, type Service, systemCall, transaction } from "#kit";
import * as queries from "#sql/service-accounts";
import { notifyHolders } from "./notify-holders.ts";

/** The number of keys per transaction; it keeps each transaction short for any number of keys. */
const KEYS_AT_ONCE = 20;

/** An hourly job that notifies members of keys that expire within seven days, once for each key. */
export const serviceAccountJobs: JobKind<Service>[] = [
  {
    queue: "service-accounts.expiring-keys",
    schedule: "41 * * * *",
    concurrency: 1,
    async run(service) {
      const notifySome = () =>
        transaction(systemCall(service), async (tx) => {
          const keys = await queries.takeExpiringApiKeys.run({ max: KEYS_AT_ONCE }, tx.db);
          for (const key of keys) await notifyHolders(tx, "API_KEY_EXPIRING", key);
          return keys.length;
        });
      while ((await notifySome()) === KEYS_AT_ONCE);
    },
  },
];
