import { dictionary } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/sign-on-connections.ts";
import * as en from "../../texts/en/sign-on-connections.ts";

export const connectionTexts = dictionary(en.connectionTexts, el.connectionTexts);
export const guideTexts = dictionary(en.guideTexts, el.guideTexts);
export const connectionStateTexts = dictionary(en.connectionStateTexts, el.connectionStateTexts);
export const connectionTestTexts = dictionary(en.connectionTestTexts, el.connectionTestTexts);
export const connectionPageTexts = dictionary(en.connectionPageTexts, el.connectionPageTexts);
export const setupLinkTexts = dictionary(en.setupLinkTexts, el.setupLinkTexts);
