import { createRouter } from "@tanstack/react-router";
import { accountRoutes } from "./account/routes.ts";
import { features } from "./features.ts";
import { basePath } from "./lib/environment.ts";
import type { ConsoleFeature } from "./lib/features.ts";
import { rememberPage } from "./lib/last-page.ts";
import { lazyPage } from "./lib/lazy-page.ts";
import { currentPath } from "./lib/location.ts";
import { authenticatedLayout, publicLayout, root } from "./lib/roots.ts";
import { publicPageAt } from "./public-pages.ts";
import { ErrorPage } from "./shell/error-page.tsx";
import { Gate } from "./shell/gate.tsx";
import { NotFound } from "./shell/not-found.tsx";
import { shellRoutes } from "./shell/routes.ts";
import { LoadingPage } from "./ui/loading-page.tsx";

// The router notices when a public page is opened, before that page has replaced the console.
root.update({ notFoundComponent: () => (publicPageAt(currentPath()) === undefined ? <NotFound /> : null) });
authenticatedLayout.update({ component: Gate });
publicLayout.update({ component: lazyPage(() => import("./shell/centered-outlet.tsx"), "CenteredOutlet") });

const routesOf = <const Features extends readonly ConsoleFeature[]>(all: Features) =>
  all.flatMap(({ routes }) => routes) as unknown as Features[number]["routes"][number][];

/** Each area has a file with its routes; only the pages themselves are loaded on demand. */
const tree = root.addChildren([
  publicLayout.addChildren([...accountRoutes.setUpPages]),
  authenticatedLayout.addChildren([...shellRoutes, ...accountRoutes.profilePages, ...routesOf(features)]),
]);

export function createConsoleRouter() {
  const router = createRouter({
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
  return router;
}
export type ConsoleRouter = ReturnType<typeof createConsoleRouter>;

declare module "@tanstack/react-router" {
  interface Register {
    router: ConsoleRouter;
  }
}
