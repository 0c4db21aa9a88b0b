import { dictionary } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/service-accounts.ts";
import * as en from "../../texts/en/service-accounts.ts";

export const accountTexts = dictionary(en.accountTexts, el.accountTexts);
export const keyTexts = dictionary(en.keyTexts, el.keyTexts);
