import { dictionary } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/access.ts";
import * as en from "../../texts/en/access.ts";

export const accessTexts = dictionary(en.accessTexts, el.accessTexts);
