import type { z } from "zod";
import { audit, type Call, exactlyOne, notify, toStored, transaction, validationFailed } from "#kit";
import * as accounts from "#sql/accounts";
import { emailTaken } from "../../core/accounts/errors.ts";
import { passwordViolations } from "../../core/accounts/passwords.ts";
import type { RegisterBody } from "./schemas.ts";
import { issueVerification } from "./verify-email.ts";

/**
 * Creates an unverified account and mails its verification link. No session starts (rules 4.2).
 * @throws validationFailed for a password made of names; emailTaken for the email of any account, including deleted
 * and unverified ones; tooManyRequests if too many hashes for the same email are already waiting
 */
export async function register(call: Call, body: z.output<typeof RegisterBody>): Promise<{ email: string }> {
  const { email, firstName, lastName, organizationName } = body;
  const language = body.language ?? call.app.config.defaultLanguage;

  const violations = registrationViolations(body, call);
  if (violations.length > 0) throw validationFailed(violations);
  // Checking the email first only avoids the cost of hashing the password for a taken email. The unique constraint
  // decides.
  if (exactlyOne(await accounts.isEmailInUse.run({ email }, call.db)).isInUse) throw emailTaken();
  const passwordHash = await call.app.hasher.hash(body.password, { key: email, priority: "sign-in" });

  await transaction(call, async (tx) => {
    const [user] = await accounts.insertUser.run(
      {
        email,
        firstName,
        lastName,
        passwordHash,
        language: toStored(language),
        pendingOrganizationName: organizationName ?? null,
      },
      tx.db,
    );
    if (user === undefined) throw emailTaken();

    await issueVerification(tx, { id: user.id, email, language });
    await audit(tx, "USER_REGISTERED", { actorId: user.id, target: { type: "user", id: user.id } });
    await notify(tx, user.id, "WELCOME", {});
  });
  return { email };
}

/** Returns a violation if the password consists of the names in the request. */
export const registrationViolations = (body: Record<string, unknown>, { app }: Pick<Call, "app">) =>
  passwordViolations("password", body.password, body, app.config);
