import * as el from "../texts/el/times.ts";
import * as en from "../texts/en/times.ts";
import { dictionary } from "./i18n.tsx";

export const timeTexts = dictionary(en.timeTexts, el.timeTexts);
