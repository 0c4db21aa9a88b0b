import { useEffect, useState } from "react";
import { useApiQuery, useCan } from "../../client/react.ts";

/** The delay after which the number is loaded, so that it does not compete with the page. */
const AFTER_MS = 2_000;
const FRESH_MS = 60_000;

/** Returns the number of unresolved tickets that the user can read; undefined until it is known. */
export function useInboxCount(): number | undefined {
  const [isLate, setLate] = useState(false);
  const enabled = Boolean(useCan("Helpdesk.Read")) && isLate;
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  const query = { status: ["OPEN" as const, "IN_PROGRESS" as const], pageSize: 1 };
  const { data } = useApiQuery(
    "GET /api/organization/helpdesk/tickets",
    { query },
    { enabled, staleTime: FRESH_MS },
  );
  return data?.total;
}
