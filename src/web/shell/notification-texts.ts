import { dictionary } from "../lib/i18n.tsx";
import * as el from "../texts/el/notifications.ts";
import * as en from "../texts/en/notifications.ts";

/** What notifications say, by their type; `unknown` for types that this console does not know. */
export const notificationTexts = dictionary(en.notificationTexts, el.notificationTexts);
