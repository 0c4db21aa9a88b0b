import { dictionary } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/sign-on-domains.ts";
import * as en from "../../texts/en/sign-on-domains.ts";

export const domainTexts = dictionary(en.domainTexts, el.domainTexts);
export const addDomainTexts = dictionary(en.addDomainTexts, el.addDomainTexts);
export const recordTexts = dictionary(en.recordTexts, el.recordTexts);
export const domainSettingsTexts = dictionary(en.domainSettingsTexts, el.domainSettingsTexts);
