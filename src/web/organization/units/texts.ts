import { dictionary } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/units.ts";
import * as en from "../../texts/en/units.ts";

export const unitTexts = dictionary(en.unitTexts, el.unitTexts);
