import { dictionary } from "../lib/i18n.tsx";
import * as el from "../texts/el/shell-menus.ts";
import * as en from "../texts/en/shell-menus.ts";

/** Texts of what the frame loads on demand, so that they are no part of the first load. */
export const menuTexts = dictionary(en.shellMenuTexts, el.shellMenuTexts);
