import { useIsFetching, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

/** After this time a page is shown even if requests are still running. */
const MAX_MS = 3_000;

/**
 * Whether the first requests of a page have ended. Content below parts of unknown height is hidden until then, so
 * that it does not move.
 */
export function useHasSettled(): boolean {
  const queries = useQueryClient();
  const fetching = useIsFetching();
  const [hasSettled, setSettled] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: effects of children, which send requests, run before this one
  useEffect(() => {
    if (queries.isFetching() === 0) setSettled(true);
  }, [queries, fetching]);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), MAX_MS);
    return () => clearTimeout(timer);
  }, []);
  return hasSettled;
}
