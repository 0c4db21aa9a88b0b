import { dictionary } from "../lib/i18n.tsx";
import * as el from "../texts/el/sign-in.ts";
import * as en from "../texts/en/sign-in.ts";

/** Texts of the sign-in page. They are in a separate file because they are part of the first load. */
export const signInTexts = dictionary(en.signInTexts, el.signInTexts);
