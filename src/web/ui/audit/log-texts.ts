import { dictionary } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/audit-log.ts";
import * as elSentences from "../../texts/el/audit-sentences.ts";
import * as en from "../../texts/en/audit-log.ts";
import * as enSentences from "../../texts/en/audit-sentences.ts";

export const logTexts = dictionary(en.logTexts, el.logTexts);
export const fieldTexts = dictionary(en.fieldTexts, el.fieldTexts);
export const fieldValueTexts = dictionary(en.fieldValueTexts, el.fieldValueTexts);
export const platformActionTexts = dictionary(en.platformActionTexts, el.platformActionTexts);
export const sentenceTexts = dictionary(enSentences.sentenceTexts, elSentences.sentenceTexts);
