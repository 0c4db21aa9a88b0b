import { dictionary } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/sign-on-groups.ts";
import * as en from "../../texts/en/sign-on-groups.ts";

export const groupTexts = dictionary(en.groupTexts, el.groupTexts);
export const identityTexts = dictionary(en.identityTexts, el.identityTexts);
