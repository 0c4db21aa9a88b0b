import { createRouter } from "@tanstack/react-router";
import { accountRoutes } from "./account/routes.ts";
import { helpdeskRoutes } from "./helpdesk/routes.ts";
import { basePath } from "./lib/environment.ts";
import { rememberPage } from "./lib/last-page.ts";
import { lazyPage } from "./lib/lazy-page.ts";
import { authenticatedLayout, publicLayout, root } from "./lib/roots.ts";
import { organizationRoutes } from "./organization/routes.ts";
import { platformRoutes } from "./platform/routes.ts";
import { ErrorPage } from "./shell/error-page.tsx";
import { NotFound } from "./shell/not-found.tsx";
import { shellRoutes } from "./shell/routes.ts";
import { todoRoutes } from "./todos/routes.ts";
import { LoadingPage } from "./ui/loading-page.tsx";

root.update({ notFoundComponent: NotFound });
authenticatedLayout.update({ component: lazyPage(() => import("./shell/gate.tsx"), "Gate") });
publicLayout.update({ component: lazyPage(() => import("./shell/centered.tsx"), "Centered") });

/** Each area has a file with its routes; only the pages themselves are loaded on demand. */
const tree = root.addChildren([
  publicLayout.addChildren([...accountRoutes.publicPages]),
  authenticatedLayout.addChildren([
    ...shellRoutes,
    ...accountRoutes.profilePages,
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
  // The delay before a placeholder replaces the current page. Until then, only the line of `RouteProgress` shows
  // that a page is being loaded.
  defaultPendingMs: 150,
  defaultPendingMinMs: 0,
  defaultPendingComponent: LoadingPage,
  defaultErrorComponent: ErrorPage,
});
router.subscribe("onResolved", ({ toLocation }) => rememberPage(toLocation.pathname));

/** Whether a path is public: the start page, and all pages that need no sign-in. */
export function isPublicPath(pathname: string): boolean {
  const path = pathname.slice(basePath.length).replace(/\/$/, "");
  return path === "" || accountRoutes.publicPages.some(({ fullPath }) => fullPath === path);
}

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
