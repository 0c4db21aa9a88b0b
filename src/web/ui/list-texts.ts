import { dictionary } from "../lib/i18n.tsx";
import * as el from "../texts/el/list.ts";
import * as en from "../texts/en/list.ts";

/** Texts of lists, which are no part of the first load. */
export const listTexts = dictionary(en.listTexts, el.listTexts);
