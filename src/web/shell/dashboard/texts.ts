import { dictionary } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/dashboard.ts";
import * as en from "../../texts/en/dashboard.ts";

export const dashboardTexts = dictionary(en.dashboardTexts, el.dashboardTexts);
