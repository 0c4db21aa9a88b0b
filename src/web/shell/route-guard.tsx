import { Outlet, useMatches } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useClient, useSession } from "../../client/react.ts";
import { useTexts } from "../lib/i18n.tsx";

import { NotFound } from "./not-found.tsx";
import { shellTexts } from "./texts.ts";

const NoAccess = lazy(() => import("../ui/no-access.tsx").then(({ NoAccess: page }) => ({ default: page })));

/**
 * Shows the page of a route only to sessions that may see it, by the route's `staticData`. For other users than
 * platform administrators, the pages of the platform area do not exist.
 */
export function RouteGuard() {
  const texts = useTexts(shellTexts);
  const client = useClient();
  // Re-renders when the session changes, because its permissions decide what is shown.
  const session = useSession();
  const needs = useMatches({ select: (matches) => matches.at(-1)?.staticData.needs });
  if (session.status !== "signed-in" || needs === undefined) return <Outlet />;
  if (needs === "platform") return session.isPlatformAdmin ? <Outlet /> : <NotFound />;
  if (client.can(needs)) return <Outlet />;
  return (
    <Suspense>
      <NoAccess title={texts.noAccess} />
    </Suspense>
  );
}
