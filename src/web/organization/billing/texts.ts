import { useDeclaredNames } from "../../lib/features.ts";
import { dictionary, useTexts } from "../../lib/i18n.tsx";
import * as el from "../../texts/el/billing.ts";
import * as en from "../../texts/en/billing.ts";

export const billingTexts = dictionary(en.billingTexts, el.billingTexts);

/** Returns a function that names a feature of a plan. A plan may have features that the console does not know. */
export function useFeatureNames(): (feature: string) => string {
  const { audit, sso } = useTexts(billingTexts);
  const names = new Map(Object.entries({ audit, sso, ...useDeclaredNames("planFeatures") }));
  return (feature) => names.get(feature) ?? feature;
}
