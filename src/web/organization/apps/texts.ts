import { dictionary } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/app-settings.ts";
import * as en from "../../texts/en/app-settings.ts";

export const appSettingsTexts = dictionary(en.appSettingsTexts, el.appSettingsTexts);
