import { dictionary } from "../lib/i18n.tsx";
import * as el from "../texts/el/account.ts";
import * as elSignIn from "../texts/el/sign-in.ts";
import * as en from "../texts/en/account.ts";
import * as enSignIn from "../texts/en/sign-in.ts";

/** Texts of the pages before sign-in. */
export const accountTexts = dictionary(
  { ...enSignIn.signInTexts, ...en.accountTexts },
  { ...elSignIn.signInTexts, ...el.accountTexts },
);

/** Explanations of failed third-party sign-ins, by error code. */
export const callbackTexts = dictionary(en.callbackTexts, el.callbackTexts);
