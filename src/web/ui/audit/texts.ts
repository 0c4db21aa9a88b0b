import { dictionary } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/audit.ts";
import * as en from "../../texts/en/audit.ts";

export const auditTexts = dictionary(en.auditTexts, el.auditTexts);

/** Short names of the actions that the audit log of an organization can contain. */
export const actionTexts = dictionary(en.actionTexts, el.actionTexts);

/** Texts for identifiers that occur as values in the log. */
export const valueTexts = dictionary(en.valueTexts, el.valueTexts);
