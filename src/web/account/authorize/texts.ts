import { dictionary } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/authorize.ts";
import * as en from "../../texts/en/authorize.ts";

export const authorizeTexts = dictionary(en.authorizeTexts, el.authorizeTexts);
