import { dictionary } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/members.ts";
import * as en from "../../texts/en/members.ts";

export const memberTexts = dictionary(en.memberTexts, el.memberTexts);
