import { dictionary } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/sign-on-policy.ts";
import * as en from "../../texts/en/sign-on-policy.ts";

export const policyTexts = dictionary(en.policyTexts, el.policyTexts);
export const affectedTexts = dictionary(en.affectedTexts, el.affectedTexts);
export const breakGlassTexts = dictionary(en.breakGlassTexts, el.breakGlassTexts);
