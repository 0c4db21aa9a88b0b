import * as accounts from "#sql/accounts";
import { type App, callOfJob } from "../context.ts";
import { transaction } from "../db/transaction.ts";
import { toStored } from "../i18n/languages.ts";

export const DEMO_PASSWORD = "demo password";

/** People to sign in as at once. */
export const demoAccounts = [
  {
    email: "root@demo.example",
    firstName: "Rhea",
    lastName: "Root",
    language: "en",
    isAdmin: true,
    about: "platform administrator",
  },
  {
    email: "ada@demo.example",
    firstName: "Ada",
    lastName: "Lovelace",
    language: "en",
    isAdmin: false,
    about: "signs in, English",
  },
  {
    email: "nikos@demo.example",
    firstName: "Νίκος",
    lastName: "Παπαδόπουλος",
    language: "el",
    isAdmin: false,
    about: "signs in, Greek",
  },
] as const;

/** Adds the demo accounts that are missing; what is there stays as it is. */
export async function plantDemoData(app: App): Promise<void> {
  for (const { email, firstName, lastName, language, isAdmin } of demoAccounts) {
    const [found] = await accounts.findUserByEmail.run({ email }, app.db);
    if (found !== undefined) continue;
    const passwordHash = await app.hasher.hash(DEMO_PASSWORD);
    await transaction(callOfJob(app), async (tx) => {
      const details = { email, firstName, lastName, passwordHash, language: toStored(language) };
      const [user] = await accounts.insertUser.run(details, tx.db);
      if (user === undefined) return;
      await accounts.markEmailVerified.run({ id: user.id }, tx.db);
      if (isAdmin) await accounts.makePlatformAdmin.run({ id: user.id }, tx.db);
    });
  }
}
