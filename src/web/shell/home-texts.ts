import { dictionary } from "../lib/i18n.tsx";
import * as el from "../texts/el/home.ts";
import * as en from "../texts/en/home.ts";

export const homeTexts = dictionary(en.homeTexts, el.homeTexts);
