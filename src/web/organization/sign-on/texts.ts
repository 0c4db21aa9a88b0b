import { dictionary } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/sign-on.ts";
import * as en from "../../texts/en/sign-on.ts";

export const signOnTexts = dictionary(en.signOnTexts, el.signOnTexts);
export const stepTexts = dictionary(en.stepTexts, el.stepTexts);
export const setupTexts = dictionary(en.setupTexts, el.setupTexts);
