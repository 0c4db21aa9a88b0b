import { Outlet, useMatches } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useClient, useSession } from "../../client/react.ts";
import { fulfils } from "./menu.ts";
import { NotFound } from "./not-found.tsx";

const NoAccess = lazy(() => import("./no-access.tsx"));

/**
 * Shows the page of a route only to sessions that may see it, by the route's `staticData`. For other users than
 * platform administrators, the pages of the platform area do not exist.
 */
export function RouteGuard() {
  const client = useClient();
  // Re-renders when the session changes, because its permissions decide what is shown.
  const session = useSession();
  const needs = useMatches({ select: (matches) => matches.at(-1)?.staticData.needs });
  if (session.status !== "signed-in" || fulfils(client, needs)) return <Outlet />;
  if (needs === "platform") return <NotFound />;
  return (
    <Suspense>
      <NoAccess />
    </Suspense>
  );
}
