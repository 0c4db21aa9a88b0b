import { dictionary } from "../../../lib/i18n.tsx";
import * as el from "../../../texts/el/import-units.ts";
import * as en from "../../../texts/en/import-units.ts";

export const importTexts = dictionary(en.importTexts, el.importTexts);
