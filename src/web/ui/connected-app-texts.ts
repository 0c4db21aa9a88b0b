import { dictionary } from "../lib/i18n.tsx";
import * as el from "../texts/el/connected-apps.ts";
import * as en from "../texts/en/connected-apps.ts";

export const connectedAppTexts = dictionary(en.connectedAppTexts, el.connectedAppTexts);
