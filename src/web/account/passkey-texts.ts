import { dictionary } from "../lib/i18n.tsx";
import * as el from "../texts/el/passkeys.ts";
import * as en from "../texts/en/passkeys.ts";

export const passkeyTexts = dictionary(en.passkeyTexts, el.passkeyTexts);
