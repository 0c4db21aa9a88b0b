import { dictionary } from "../lib/i18n.tsx";
import * as el from "../texts/el/helpdesk.ts";
import * as en from "../texts/en/helpdesk.ts";

export const helpdeskTexts = dictionary(en.helpdeskTexts, el.helpdeskTexts);
