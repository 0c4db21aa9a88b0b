import { dictionary } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/invitations.ts";
import * as en from "../../texts/en/invitations.ts";

export const invitationTexts = dictionary(en.invitationTexts, el.invitationTexts);
