import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { ApiError } from "../../client/index.ts";
import { useClient } from "../../client/react.ts";
import { observeFailures } from "../lib/action.ts";
import { invalidate } from "../lib/invalidate.ts";

/**
 * The error codes that mean outdated permissions in the access token. The API checks writes against the database,
 * while the menu shows the token's permissions (rules 6.10).
 */
const OUTDATED = new Set(["FORBIDDEN", "NOT_A_MEMBER", "PERMISSION_NOT_HELD", "UNIT_FORBIDDEN"]);

/**
 * Refreshes the access token after the API rejected a write because of changed permissions, so that menu and pages
 * are up to date.
 */
export function useRefreshAfterRefusals(): void {
  const client = useClient();
  const queries = useQueryClient();
  useEffect(
    () =>
      observeFailures((error) => {
        if (!(error instanceof ApiError)) return;
        if (OUTDATED.has(error.code)) void client.refresh().catch(() => {});
        if (error.code === "ORGANIZATION_SUSPENDED")
          void invalidate(queries, ["GET /api/auth/organizations"]);
      }),
    [client, queries],
  );
}
