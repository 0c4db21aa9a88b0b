import { dictionary } from "../../lib/i18n.tsx";
import * as elJoining from "../../texts/el/joining.ts";
import * as el from "../../texts/el/members.ts";
import * as enJoining from "../../texts/en/joining.ts";
import * as en from "../../texts/en/members.ts";

export const memberTexts = dictionary(en.memberTexts, el.memberTexts);
export const joinRequestTexts = dictionary(enJoining.joinRequestTexts, elJoining.joinRequestTexts);
