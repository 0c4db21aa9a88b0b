import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { ApiError } from "../../client/index.ts";
import { useClient } from "../../client/react.ts";
import { invalidate } from "../lib/action.ts";

/**
 * Error codes that mean outdated permissions: writes are checked against the database, the menu against the access
 * token (rules 6.10).
 */
const OUTDATED = new Set(["FORBIDDEN", "NOT_A_MEMBER", "PERMISSION_NOT_HELD", "UNIT_FORBIDDEN"]);

/**
 * Refreshes the access token after a write was refused because of changed permissions, so that menu and pages are up
 * to date.
 */
export function useRefreshAfterRefusals(): void {
  const client = useClient();
  const queries = useQueryClient();
  useEffect(
    () =>
      queries.getMutationCache().subscribe((event) => {
        if (event.type !== "updated" || event.action.type !== "error") return;
        const { error } = event.action;
        if (!(error instanceof ApiError)) return;
        if (OUTDATED.has(error.code)) void client.refresh().catch(() => {});
        if (error.code === "ORGANIZATION_SUSPENDED")
          void invalidate(queries, ["GET /api/auth/organizations"]);
      }),
    [client, queries],
  );
}
