import * as el from "../texts/el/errors.ts";
import * as en from "../texts/en/errors.ts";
import { dictionary } from "./i18n.tsx";

export const errorTexts = dictionary(en.errorTexts, el.errorTexts);
