import { dictionary } from "../lib/i18n.tsx";
import * as el from "../texts/el/account.ts";
import * as en from "../texts/en/account.ts";

/** Texts of the pages before sign-in. */
export const accountTexts = dictionary(en.accountTexts, el.accountTexts);

/** Explanations of failed third-party sign-ins, by error code. */
export const callbackTexts = dictionary(en.callbackTexts, el.callbackTexts);
