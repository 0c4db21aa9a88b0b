import { dictionary } from "../lib/i18n.tsx";
import * as el from "../texts/el/ui.ts";
import * as en from "../texts/en/ui.ts";

export const uiTexts = dictionary(en.uiTexts, el.uiTexts);
