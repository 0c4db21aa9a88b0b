import { dictionary } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/audit.ts";
import * as en from "../../texts/en/audit.ts";

export const auditTexts = dictionary(en.auditTexts, el.auditTexts);

export const actionTexts = dictionary(en.actionTexts, el.actionTexts);

export const valueTexts = dictionary(en.valueTexts, el.valueTexts);
