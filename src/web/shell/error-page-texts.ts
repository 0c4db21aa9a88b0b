import { dictionary } from "../lib/i18n.tsx";
import * as el from "../texts/el/error-pages.ts";
import * as en from "../texts/en/error-pages.ts";

/** Texts of the pages for errors, apart because they are in the first load. */
export const errorPageTexts = dictionary(en.errorPageTexts, el.errorPageTexts);
