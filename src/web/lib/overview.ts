import type { Schemas } from "../../client/index.ts";
import { useApiQuery } from "../../client/react.ts";

type Overview = Schemas["OrganizationOverview"];

/** Loads the figures of the organization. While those of another period are loaded, the former ones stay. */
export function useOverview(days: 7 | 30 | 90) {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return useApiQuery(
    "GET /api/organization/overview",
    { query: { days, timeZone } },
    { staleTime: 60_000, placeholderData: (before: Overview | undefined) => before },
  );
}
