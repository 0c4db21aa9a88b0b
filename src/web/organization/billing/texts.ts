import { dictionary } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/billing.ts";
import * as en from "../../texts/en/billing.ts";

export const billingTexts = dictionary(en.billingTexts, el.billingTexts);
