import { useApiQuery, useClient } from "../../client/react.ts";
import { useClaims } from "../lib/claims.ts";
import { product } from "../lib/product.ts";
import type { BothTexts } from "../texts/dictionary.ts";

type ProductPage = { readonly href: string; readonly text: BothTexts };

export function useProductPages(): readonly ProductPage[] {
  const client = useClient();
  const { organization: active, isPlatformAdmin } = useClaims();
  const id = active?.id;
  const { pages = [], url = "" } = product ?? {};
  const needsFeatures = id !== undefined && pages.some(({ feature }) => feature !== undefined);
  // Members may not read the plan. Platform administrators are not members where they act.
  const own = useApiQuery("GET /api/auth/organizations", {}, { enabled: needsFeatures && !isPlatformAdmin });
  const plan = useApiQuery(
    "GET /api/organization/billing",
    {},
    { enabled: needsFeatures && isPlatformAdmin === true },
  );
  const organization = isPlatformAdmin ? plan.data : own.data?.find((one) => one.id === id);
  const features: readonly string[] = organization?.features ?? [];
  return pages
    .filter(({ permission }) => client.can(permission))
    .filter(({ feature }) => feature === undefined || features.includes(feature))
    .map(({ path, text }) => ({ href: url + path, text }));
}
