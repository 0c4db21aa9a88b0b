import { dictionary } from "../lib/i18n.tsx";
import * as el from "../texts/el/helpdesk-overview.ts";
import * as en from "../texts/en/helpdesk-overview.ts";

export const overviewTexts = dictionary(en.overviewTexts, el.overviewTexts);
