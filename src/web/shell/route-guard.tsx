import { Outlet, useMatches } from "@tanstack/react-router";
import { useClient, useSession } from "../../client/react.ts";
import { useTexts } from "../lib/i18n.tsx";
import { NoAccess } from "../ui/no-access.tsx";
import { NotFound } from "./not-found.tsx";
import { shellTexts } from "./texts.ts";

/**
 * Shows the page of a route only to sessions that may see it, by the route's `staticData`. Pages of the platform do not
 * exist for anybody but platform administrators.
 */
export function RouteGuard() {
  const texts = useTexts(shellTexts);
  const client = useClient();
  // Re-renders when the session changes, because it decides.
  const session = useSession();
  const needs = useMatches({ select: (matches) => matches.at(-1)?.staticData.needs });
  if (session.status !== "signed-in" || needs === undefined) return <Outlet />;
  if (needs === "platform") return session.isPlatformAdmin ? <Outlet /> : <NotFound />;
  return client.can(needs) ? <Outlet /> : <NoAccess title={texts.noAccess} />;
}
