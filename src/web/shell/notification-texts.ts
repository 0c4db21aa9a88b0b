import { dictionary } from "../lib/i18n.tsx";
import * as el from "../texts/el/notifications.ts";
import * as en from "../texts/en/notifications.ts";

/** Texts of notifications by type. `unknown` is for types that this build does not know. */
export const notificationTexts = dictionary(en.notificationTexts, el.notificationTexts);
