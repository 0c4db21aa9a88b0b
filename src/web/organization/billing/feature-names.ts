import { useDeclaredNames } from "../../lib/features.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { billingTexts } from "../../texts/billing.ts";

/** Returns a function that names a feature of a plan. A plan may have features that the console does not know. */
export function useFeatureNames(): (feature: string) => string {
  const { audit, sso } = useTexts(billingTexts);
  const names = new Map(Object.entries({ audit, sso, ...useDeclaredNames("planFeatures") }));
  return (feature) => names.get(feature) ?? feature;
}
