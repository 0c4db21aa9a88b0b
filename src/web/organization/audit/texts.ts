import { dictionary } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/audit.ts";
import * as en from "../../texts/en/audit.ts";

export const auditTexts = dictionary(en.auditTexts, el.auditTexts);

/** Results, by the actions that an organization's log can have. */
export const actionTexts = dictionary(en.actionTexts, el.actionTexts);

/** Values that the log has as identifiers. */
export const valueTexts = dictionary(en.valueTexts, el.valueTexts);
