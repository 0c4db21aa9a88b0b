import { encryptSecret } from "../../../../src/features/two-factor/secret.ts";
import { newToken, tokenHash } from "../../../../src/platform/crypto.ts";
import type { Rows } from "../../../support/rows.ts";
import type { Service } from "../../../support/service.ts";
import type { World } from "./world.ts";

/** The second factor of the caller who has one. */
export const SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
export const RECOVERY_CODES = ["aaaa", "bbbb", "cccc"];

/** Links, challenges and a second factor, as if they had been mailed and set up. */
export function plantTokens(
  rows: Rows,
  t: Service,
  { organizations: { own }, tokens, challenges, people }: World,
  unique: string,
) {
  const { member, auditor, support, secondFactor } = people;
  const token = (all = tokens) => {
    const made = newToken();
    all.push(made);
    return made;
  };
  const of = (userId: string, all = tokens) => ({ user_id: userId, token_hash: tokenHash(token(all)) });
  own.invite(`new-${unique}@example.com`, token(), null);
  own.invite(`invited-${unique}@example.com`, token(), own.unit);
  rows.put("email_verification_tokens", of(member));
  rows.put("password_reset_tokens", of(auditor));
  for (const userId of [secondFactor, secondFactor, support])
    rows.put("two_factor_challenges", of(userId, challenges));
  const sealed = encryptSecret(t.running.app, secondFactor, SECRET);
  rows.put("two_factor_secrets", { user_id: secondFactor, sealed_secret: sealed });
  for (const code of RECOVERY_CODES)
    rows.put("two_factor_recovery_codes", { user_id: secondFactor, code_hash: tokenHash(code) });
}
