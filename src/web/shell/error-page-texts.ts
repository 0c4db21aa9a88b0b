import { dictionary } from "../lib/i18n.tsx";
import * as el from "../texts/el/error-pages.ts";
import * as en from "../texts/en/error-pages.ts";

/** Texts of the error pages, in a separate file because they are part of the first load. */
export const errorPageTexts = dictionary(en.errorPageTexts, el.errorPageTexts);
