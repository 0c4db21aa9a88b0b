import { encryptSecret } from "../../../../src/features/two-factor/secret.ts";
import { newToken, tokenHash } from "../../../../src/platform/crypto.ts";
import type { Rows } from "../../../support/rows.ts";
import type { Service } from "../../../support/service.ts";
import type { Fixture } from "./fixture.ts";

/** The secret of the second factor of the caller `secondFactor`. */
export const SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
export const RECOVERY_CODES = ["aaaa", "bbbb", "cccc"];

/** Adds links of mails, challenges, and the second factor of one caller. */
export function addTokens(
  rows: Rows,
  t: Service,
  { organizations: { own }, tokens, challenges, userIds }: Fixture,
  unique: string,
) {
  const { member, auditor, support, secondFactor } = userIds;
  const token = (all = tokens) => {
    const value = newToken();
    all.push(value);
    return value;
  };
  const tokenRow = (userId: string, all = tokens) => ({ user_id: userId, token_hash: tokenHash(token(all)) });
  own.invite(`new-${unique}@example.com`, token(), null);
  own.invite(`invited-${unique}@example.com`, token(), own.unit);
  rows.put("email_verification_tokens", tokenRow(member));
  rows.put("password_reset_tokens", tokenRow(auditor));
  for (const userId of [secondFactor, secondFactor, support])
    rows.put("two_factor_challenges", tokenRow(userId, challenges));
  const sealed = encryptSecret(t.running.app, secondFactor, SECRET);
  rows.put("two_factor_secrets", { user_id: secondFactor, sealed_secret: sealed });
  for (const code of RECOVERY_CODES)
    rows.put("two_factor_recovery_codes", { user_id: secondFactor, code_hash: tokenHash(code) });
}
