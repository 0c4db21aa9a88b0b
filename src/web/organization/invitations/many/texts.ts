import { dictionary } from "../../../lib/i18n.tsx";
import * as el from "../../../texts/el/invite-many.ts";
import * as en from "../../../texts/en/invite-many.ts";

export const inviteManyTexts = dictionary(en.inviteManyTexts, el.inviteManyTexts);
