import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { ApiError } from "../../client/index.ts";
import { useClient } from "../../client/react.ts";
import { invalidate } from "../lib/action.ts";

/** Changes are judged by the roles of now, the menu by those of the token (rules 6.10). */
const OUTDATED = new Set(["FORBIDDEN", "NOT_A_MEMBER", "PERMISSION_NOT_HELD", "UNIT_FORBIDDEN"]);

/** Brings the menu and the pages up to date with what the refusal of a change says. */
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
