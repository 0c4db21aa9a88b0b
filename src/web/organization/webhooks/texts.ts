import { dictionary } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/webhooks.ts";
import * as en from "../../texts/en/webhooks.ts";

export const webhookTexts = dictionary(en.webhookTexts, el.webhookTexts);
export const deliveryTexts = dictionary(en.deliveryTexts, el.deliveryTexts);
export const eventTexts = dictionary(en.eventTexts, el.eventTexts);
