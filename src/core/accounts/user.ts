import { z } from "@hono/zod-openapi";
import * as accounts from "#sql/people/accounts";
import { exactlyOne, type Queryable } from "../../platform/db/prepared-query.ts";
import { fromStored, type Language } from "../../platform/i18n/languages.ts";
import { operatorOf } from "../access/app-operator.ts";
import { unauthenticated } from "../access/errors.ts";
import type { App, AuthenticatedCall, SignedInCall, Tx } from "../context.ts";
import { language, textExample, timestamp, uuid } from "../definitions/fields.ts";
import { feedEntry } from "../effects/feed-entry.ts";

/** An account, as its owner and platform administrators see it. */
export const User = z
  .object({
    id: uuid.describe("The id of the account."),
    email: textExample("ada@example.com").describe("The email, in lower case."),
    firstName: textExample("Ada").describe("The first name."),
    lastName: textExample("Lovelace").describe("The last name."),
    language,
    emailVerifiedAt: timestamp.nullable().describe("When the email was confirmed; null if it was not."),
    isPlatformAdmin: z.boolean().describe("Whether the account is a platform administrator."),
    twoFactorEnabled: z.boolean().describe("Whether sign-in requires a second factor."),
    passkeyCount: z.int().openapi({ example: 1 }).describe("The number of passkeys."),
    createdAt: timestamp.describe("When the account was created."),
  })
  .openapi("User");

/** The token of a mailed link. Its format is not validated: a malformed token is treated like an expired one. */
export const linkToken = z
  .string()
  .min(1)
  .max(512)
  .openapi({ example: "3q2-7wXn0mGZ0c1n8mJm0sW0m2JrJt5b0c7k0oV6n3E" });

/** Returns an account that is not deleted; null if there is none. */
export async function findLiveUser(db: Queryable, id: string) {
  const [user] = await accounts.findUser.run({ id }, db);
  return user ?? null;
}

/**
 * Returns the caller's own account.
 * @throws unauthenticated if it has been deleted since the token was signed
 */
export async function findOwnAccount({ db, actor }: SignedInCall) {
  const [user] = await accounts.findUser.run({ id: actor.userId }, db);
  if (user === undefined) throw unauthenticated();
  return user;
}

/**
 * Returns the caller's preferred language; for a service account the service's default language.
 * @throws unauthenticated if the account has been deleted since the token was signed
 */
export async function languageOf({ actor, ...call }: AuthenticatedCall): Promise<Language> {
  if (actor.type !== "user") return call.app.config.defaultLanguage;
  return fromStored((await findOwnAccount({ ...call, actor })).language);
}

export type StoredUser = Awaited<ReturnType<typeof accounts.findUser.run>>[number];

/** Returns an account as returned by the API. */
export const presentUser = (user: StoredUser): z.output<typeof User> => ({
  id: user.id,
  email: user.email,
  firstName: user.firstName,
  lastName: user.lastName,
  language: fromStored(user.language),
  emailVerifiedAt: user.emailVerifiedAt?.toISOString() ?? null,
  isPlatformAdmin: user.isPlatformAdmin,
  twoFactorEnabled: user.hasTwoFactor,
  passkeyCount: user.passkeyCount,
  createdAt: user.createdAt.toISOString(),
});

/**
 * Tells the feed of the product that the name, email or language of an account changed. Call under the user's lock.
 * @param user the account after the change, if it was read; otherwise it is read only if there is a product
 */
export const userUpdated = (tx: Tx, id: string, previous: object, user?: StoredUser): Promise<void> =>
  feedEntry(tx, "user.updated", {
    organizationId: null,
    id,
    previous,
    object: async () => userForFeed(id, user ?? (await findLiveUser(tx.db, id))),
  });

function userForFeed(id: string, user: StoredUser | null) {
  if (user === null) return { id };
  const { email, firstName, lastName, language } = presentUser(user);
  return { id, email, firstName, lastName, language };
}

/** Returns how many apps act for a person: a changed password or email does not end them, so its mail says it. */
export async function countConnectedApps(
  { app, db }: { app: App; db: Queryable },
  userId: string,
): Promise<number> {
  if (!app.config.oauth) return 0;
  const operator = operatorOf(app.config);
  return exactlyOne(await accounts.countConnectedAppsOfUser.run({ userId, operator }, db)).count;
}
