import { dictionary } from "../lib/i18n.tsx";
import * as el from "../texts/el/profile.ts";
import * as en from "../texts/en/profile.ts";

export const profileTexts = dictionary(en.profileTexts, el.profileTexts);
