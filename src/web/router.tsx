import { createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { accountRoutes } from "./account/routes.ts";
import { helpdeskRoutes } from "./helpdesk/routes.ts";
import { basePath } from "./lib/environment.ts";
import { rememberPage } from "./lib/last-page.ts";
import { inside, outside, root } from "./lib/roots.ts";
import { organizationRoutes } from "./organization/routes.ts";
import { platformRoutes } from "./platform/routes.ts";
import { Broken } from "./shell/broken.tsx";
import { NotFound } from "./shell/not-found.tsx";
import { shellRoutes } from "./shell/routes.ts";
import { todoRoutes } from "./todos/routes.ts";

root.update({ notFoundComponent: NotFound });
inside.update({ component: lazyRouteComponent(() => import("./shell/gate.tsx"), "Gate") });
outside.update({ component: lazyRouteComponent(() => import("./shell/centered.tsx"), "Centered") });

/** Each area has its routes in a file of its own; only their pages are loaded on demand. */
const tree = root.addChildren([
  outside.addChildren([...accountRoutes.outside]),
  inside.addChildren([
    ...shellRoutes,
    ...accountRoutes.inside,
    ...organizationRoutes,
    ...helpdeskRoutes,
    ...todoRoutes,
    ...platformRoutes,
  ]),
]);

export const router = createRouter({
  routeTree: tree,
  basepath: basePath === "" ? "/" : basePath,
  defaultPreload: "intent",
  scrollRestoration: true,
  defaultErrorComponent: Broken,
});
router.subscribe("onResolved", ({ toLocation }) => rememberPage(toLocation.pathname));

/**
 * Whether whoever arrives at this address of the console may well not be signed in: at its front door, and at the pages for
 * whoever is not.
 */
export function isForAnybody(pathname: string): boolean {
  const path = pathname.slice(basePath.length).replace(/\/$/, "");
  return path === "" || accountRoutes.outside.some(({ fullPath }) => fullPath === path);
}

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
