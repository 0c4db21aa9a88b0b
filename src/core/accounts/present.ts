import type { z } from "zod";
import type * as accounts from "#sql/people/accounts";
import { fromStored } from "../../platform/i18n/languages.ts";
import type { User } from "./schemas.ts";

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
