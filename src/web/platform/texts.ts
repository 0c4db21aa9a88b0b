import { dictionary } from "../lib/i18n.tsx";
import * as el from "../texts/el/platform.ts";
import * as en from "../texts/en/platform.ts";

export const platformTexts = dictionary(en.platformTexts, el.platformTexts);
