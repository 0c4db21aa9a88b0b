import { dictionary } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/settings.ts";
import * as en from "../../texts/en/settings.ts";

export const settingsTexts = dictionary(en.settingsTexts, el.settingsTexts);
