import { dictionary } from "../lib/i18n.tsx";
import * as el from "../texts/el/shell.ts";
import * as en from "../texts/en/shell.ts";

export const shellTexts = dictionary(en.shellTexts, el.shellTexts);
