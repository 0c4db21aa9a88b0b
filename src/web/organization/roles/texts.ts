import { dictionary } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/roles.ts";
import * as en from "../../texts/en/roles.ts";

export const roleTexts = dictionary(en.roleTexts, el.roleTexts);
