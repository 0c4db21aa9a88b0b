import type { z } from "zod";
import {
  audit,
  type Call,
  email as emailField,
  exactlyOne,
  notify,
  transaction,
  type Violation,
  validationFailed,
} from "#kit";
import { toStored } from "#kit/inside";
import * as accounts from "#sql/accounts";
import { emailTaken, registrationClosed } from "../../core/accounts/errors.ts";
import { assertHuman, assertNotBreached } from "../../core/accounts/outside-checks.ts";
import { passwordViolations } from "../../core/accounts/passwords.ts";
import { admitBirth, countBirth, emailViolations } from "../../core/accounts/registration.ts";
import type { RegisterBody } from "./schemas.ts";
import { issueVerification } from "./verify-email.ts";

/**
 * Creates an unverified account and mails its verification link. No session starts (rules 4.2).
 * @throws validationFailed for a password made of names or from a data breach; registrationClosed, botCheckRequired;
 * emailTaken for the email of any account, including deleted and unverified ones; tooManyRequests if too many hashes for the
 * same email are already waiting
 */
export async function register(call: Call, body: z.output<typeof RegisterBody>): Promise<{ email: string }> {
  const { email, firstName, lastName, organizationName } = body;
  const language = body.language ?? call.app.config.defaultLanguage;

  const violations = registrationViolations(body, call);
  if (violations.length > 0) throw validationFailed(violations);
  const admission = await admitBirth(call, { path: "register", email });
  if (admission === null) throw registrationClosed();
  await assertHuman(call, body.botToken);
  await assertNotBreached(call, "password", body.password);
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
    countBirth(tx, admission);

    await issueVerification(tx, { id: user.id, email, language });
    await audit(tx, "USER_REGISTERED", { actorId: user.id, target: { type: "user", id: user.id } });
    await notify(tx, user.id, "WELCOME", {});
  });
  return { email };
}

/**
 * Returns violations of a body, which may be invalid: a password of the names in the request, an email of a blocked domain,
 * and an organization that only platform administrators may create.
 */
export function registrationViolations(
  body: Record<string, unknown>,
  { app: { config } }: Pick<Call, "app">,
): Violation[] {
  const { data: email } = emailField.safeParse(body.email);
  const path = "organizationName";
  return [
    ...passwordViolations("password", body.password, body, config),
    ...(email === undefined ? [] : emailViolations(email, config)),
    ...(config.organizationCreation === "everyone" || body[path] === undefined
      ? []
      : [{ path, message: `property ${path} should not exist` }]),
  ];
}
