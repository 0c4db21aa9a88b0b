import { dictionary } from "../lib/i18n.tsx";
import * as el from "../texts/el/passkeys.ts";
import * as en from "../texts/en/passkeys.ts";

/** Texts about passkeys, the change of email, and the dialog that asks for a proof of identity. */
export const passkeyTexts = dictionary(en.passkeyTexts, el.passkeyTexts);
