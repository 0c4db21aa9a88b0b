import { z } from "@hono/zod-openapi";
import { pathId, singleLine, textExample, timestamp, uuid } from "#kit";
import {
  AssertionResponse,
  AttestationResponse,
  CreationOptions,
  challengeToken,
  RequestOptions,
} from "../../core/accounts/passkey-schemas.ts";

const name = singleLine({ min: 1, max: 100 });

export const Passkey = z
  .object({
    id: uuid.describe("The id of the passkey."),
    name: textExample("Laptop").describe("The name that the owner gave to the passkey."),
    authenticator: textExample("Google Password Manager")
      .nullable()
      .describe("The name of the authenticator that stores the passkey; null if it is unknown."),
    transports: z.array(textExample("internal")).describe("How browsers reach the authenticator."),
    backupEligible: z.boolean().describe("Whether the passkey can be synced to other devices."),
    backedUp: z.boolean().describe("Whether the passkey is synced now."),
    signIn: z
      .boolean()
      .describe(
        "Whether the passkey signs in alone. A security key that did not verify the user, or does not store the passkey, is only a second factor.",
      ),
    status: z
      .enum(["ACTIVE", "BLOCKED"])
      .describe("`BLOCKED`: the passkey may have been copied, or belongs to another domain of the service."),
    createdAt: timestamp.describe("When the passkey was added."),
    lastUsedAt: timestamp.nullable().describe("When the passkey was last used; null if never."),
  })
  .openapi("Passkey");
export const Passkeys = z.array(Passkey);
export const PasskeyPath = z.strictObject({ id: pathId("passkey") });

export const SignInOptions = z
  .object({ challengeToken, options: RequestOptions.describe("For `navigator.credentials.get`.") })
  .openapi("PasskeySignInOptions");
export const RegistrationOptions = z
  .object({ challengeToken, options: CreationOptions.describe("For `navigator.credentials.create`.") })
  .openapi("PasskeyRegistrationOptions");

export const PasskeySignInBody = z
  .strictObject({ challengeToken, response: AssertionResponse.describe("What the browser returned.") })
  .openapi("PasskeySignInBody");

export const AddPasskeyBody = z
  .strictObject({
    challengeToken,
    name: name.optional().describe("Default: the name of the authenticator, or `Passkey` with a number."),
    response: AttestationResponse.describe("What the browser returned."),
  })
  .openapi("AddPasskeyBody");

export const AddedPasskey = z
  .object({
    passkey: Passkey.describe("The new passkey."),
    recoveryCodes: z
      .array(textExample("k3tq-7xwm-2zlp-v5ha-9c4r-ynbd"))
      .nullable()
      .describe(
        "Ten recovery codes, shown only now, if the passkey turned on a required second factor; otherwise null.",
      ),
  })
  .openapi("AddedPasskey");

export const RenamePasskeyBody = z
  .strictObject({ name: name.optional().describe("The new name.") })
  .openapi("RenamePasskeyBody");
