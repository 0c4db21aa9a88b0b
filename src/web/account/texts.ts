import { dictionary } from "../lib/i18n.tsx";
import * as el from "../texts/el/account.ts";
import * as en from "../texts/en/account.ts";

export const accountTexts = dictionary(en.accountTexts, el.accountTexts);

export const callbackTexts = dictionary(en.callbackTexts, el.callbackTexts);
