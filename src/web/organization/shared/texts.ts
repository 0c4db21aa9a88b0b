import { dictionary } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/organization-shared.ts";
import * as en from "../../texts/en/organization-shared.ts";

export const assignmentTexts = dictionary(en.assignmentTexts, el.assignmentTexts);
export const grantTexts = dictionary(en.grantTexts, el.grantTexts);
export const limitTexts = dictionary(en.limitTexts, el.limitTexts);
export const savedTexts = dictionary(en.savedTexts, el.savedTexts);
export const unitSelectTexts = dictionary(en.unitSelectTexts, el.unitSelectTexts);
