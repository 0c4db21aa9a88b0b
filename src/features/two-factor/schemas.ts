import { z } from "@hono/zod-openapi";
import { checkEvenIfFieldsFail, singleLine, textExample, timestamp } from "#kit";
import { AssertionResponse, PasskeyProof, RequestOptions } from "../../core/accounts/passkey-schemas.ts";
import { linkToken } from "../../core/accounts/user.ts";
import { enteredPassword } from "../sessions/schemas.ts";

/** A code of the second factor. Spaces and hyphens are ignored. A malformed code is treated as a wrong one. */
const code = singleLine({ min: 1, max: 64 });
const totp = code.openapi({ example: "123456" });
const recoveryCode = code.openapi({ example: "k3tq-7xwm-2zlp-v5ha-9c4r-ynbd" });

type Given = { code?: unknown; recoveryCode?: unknown; passkey?: unknown };
const hasOne = ({ code, recoveryCode, passkey }: Given) =>
  [code, recoveryCode, passkey].some((one) => one !== undefined);
const CODE_IS_REQUIRED = { path: ["code"], message: "is required", ...checkEvenIfFieldsFail };

export const VerifyBody = z
  .strictObject({
    challengeToken: linkToken.describe("The token of the challenge."),
    code: totp.optional().describe("The code of the authenticator app."),
    recoveryCode: recoveryCode.optional().describe("An unused recovery code."),
    passkey: z
      .strictObject({ response: AssertionResponse.describe("What the browser returned.") })
      .optional()
      .describe("A passkey of the account; see `POST /api/auth/2fa/passkey/options`."),
  })
  .refine(hasOne, CODE_IS_REQUIRED)
  .refine(({ code, recoveryCode }) => code === undefined || recoveryCode === undefined, {
    path: ["recoveryCode"],
    message: "should not be sent together with code",
    ...checkEvenIfFieldsFail,
  })
  .refine(
    ({ code, recoveryCode, passkey }) => passkey === undefined || (code ?? recoveryCode) === undefined,
    {
      path: ["passkey"],
      message: "should not be sent together with a code",
      ...checkEvenIfFieldsFail,
    },
  )
  .openapi("VerifyTwoFactorBody", {
    description: "Exactly one of `code`, from the authenticator app, `recoveryCode` and `passkey`.",
  });

export const TwoFactor = z
  .object({
    enabled: z.boolean().openapi({ example: true }).describe("Whether sign-in requires a second factor."),
    enabledAt: timestamp
      .nullable()
      .describe("When two-factor authentication was enabled; null if it is disabled."),
    methods: z
      .array(z.enum(["totp", "passkey"]))
      .openapi({ example: ["totp"] })
      .describe("What the account has: an authenticator app, usable passkeys."),
    recoveryCodesLeft: z.int().openapi({ example: 10 }).describe("The number of unused recovery codes."),
  })
  .openapi("TwoFactor");
export const PasswordBody = z
  .strictObject({ password: enteredPassword.optional().describe("Required if the account has a password.") })
  .openapi("PasswordBody");
export const CodeBody = z
  .strictObject({ code: totp.describe("The code of the authenticator app.") })
  .openapi("CodeBody");

/** The fields that prove the caller's identity again (rules 33.6). */
export const proofFields = {
  password: enteredPassword.optional().describe("Required if the account has a password."),
  code: totp
    .optional()
    .describe("Required if two-factor authentication is on: a code from the app, or a recovery code."),
  recoveryCode: recoveryCode.optional().describe("An unused recovery code, instead of `code`."),
  passkey: PasskeyProof.optional().describe(
    "A passkey with user verification: enough alone. A security key that is only a second factor needs `password`, too.",
  ),
};
export const DisableBody = z
  .strictObject(proofFields)
  .refine(hasOne, CODE_IS_REQUIRED)
  .openapi("DisableTwoFactorBody");
export const EnableBody = z
  .strictObject({
    code: totp.optional().describe("The first code of the authenticator app."),
    passkey: PasskeyProof.optional().describe("A passkey of the account, instead of an app."),
  })
  .refine(hasOne, CODE_IS_REQUIRED)
  .refine(({ code, passkey }) => code === undefined || passkey === undefined, {
    path: ["passkey"],
    message: "should not be sent together with code",
    ...checkEvenIfFieldsFail,
  })
  .openapi("EnableTwoFactorBody");
export const PasskeyChallengeBody = z
  .strictObject({ challengeToken: linkToken.describe("The token of the challenge.") })
  .openapi("TwoFactorPasskeyOptionsBody");
export const PasskeyChallengeOptions = z
  .object({ options: RequestOptions.describe("For `navigator.credentials.get`.") })
  .openapi("TwoFactorPasskeyOptions");
export const OfferedSecret = z
  .object({
    secret: textExample("JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP").describe(
      "The secret in Base32, to type into an authenticator app.",
    ),
    otpauthUrl: textExample(
      "otpauth://totp/Acme:ada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Acme",
    ).describe("The secret as an `otpauth:` URL, which authenticator apps open."),
    qrCode: textExample("data:image/svg+xml;base64,PHN2Zy8+").openapi({
      description: "The QR code of `otpauthUrl`: an SVG image as a data URL.",
    }),
  })
  .openapi("OfferedTwoFactorSecret");
export const RecoveryCodes = z
  .object({
    recoveryCodes: z
      .array(textExample("k3tq-7xwm-2zlp-v5ha-9c4r-ynbd"))
      .describe("Ten recovery codes; each works once. They are shown only in this response."),
  })
  .openapi("RecoveryCodes");
