import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { ApiError } from "../../client/index.ts";
import { useClient } from "../../client/react.ts";
import { invalidate } from "../lib/action.ts";

/** The API gives less than the token promises: roles were changed since (rules 6.10). */
const OUTDATED = new Set(["FORBIDDEN", "NOT_A_MEMBER", "ORGANIZATION_REQUIRED"]);
/** A refusal that a new token does not explain is no reason for another one. */
const RENEWED_MS = 10_000;

/**
 * Brings the menu and the pages up to date with what the API refuses. A refused change renews nothing: the page that it
 * was entered on may not be there afterwards.
 */
export function useRefusals(): void {
  const client = useClient();
  const queries = useQueryClient();
  useEffect(() => {
    let renewedAt = Number.NEGATIVE_INFINITY;
    function refused(error: unknown, isChange: boolean) {
      if (!(error instanceof ApiError)) return;
      if (error.code === "ORGANIZATION_SUSPENDED") void invalidate(queries, ["GET /api/auth/organizations"]);
      if (isChange || !OUTDATED.has(error.code) || performance.now() - renewedAt < RENEWED_MS) return;
      renewedAt = performance.now();
      void client.refresh().catch(() => {});
    }
    const stops = [
      queries.getQueryCache().subscribe((event) => {
        if (event.type === "updated" && event.action.type === "error") refused(event.action.error, false);
      }),
      queries.getMutationCache().subscribe((event) => {
        if (event.type === "updated" && event.action.type === "error") refused(event.action.error, true);
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [client, queries]);
}
