import { useRouterState } from "@tanstack/react-router";

/** A line at the top of the window that is shown while the next page is being loaded. */
export function RouteProgress() {
  const isLoading = useRouterState({ select: ({ isLoading: isPending }) => isPending });
  return <div className="route-progress" data-active={isLoading || undefined} aria-hidden="true" />;
}
