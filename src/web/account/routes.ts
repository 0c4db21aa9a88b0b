import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../lib/lazy-page.ts";
import { authenticatedLayout, publicLayout } from "../lib/roots.ts";
import { nextOf } from "./search.ts";

/** The pages of this area after sign-in, each loaded on demand. */
export const accountRoutes = {
  /** A page without navigation, for a session that must set up a second factor first. */
  setUpPages: [
    createRoute({
      getParentRoute: () => publicLayout,
      path: "/two-factor",
      validateSearch: nextOf,
      component: lazyPage(() => import("./required-two-factor.tsx"), "RequiredTwoFactor"),
    }),
  ],
  profilePages: [
    // This page is opened by links in mails.
    createRoute({
      getParentRoute: () => authenticatedLayout,
      path: "/profile",
      component: lazyPage(() => import("./profile.tsx"), "Profile"),
    }),
    createRoute({
      getParentRoute: () => authenticatedLayout,
      path: "/profile/security",
      component: lazyPage(() => import("./security.tsx"), "Security"),
    }),
    createRoute({
      getParentRoute: () => authenticatedLayout,
      path: "/profile/sessions",
      component: lazyPage(() => import("./sessions.tsx"), "Sessions"),
    }),
    createRoute({
      getParentRoute: () => authenticatedLayout,
      path: "/profile/apps",
      component: lazyPage(() => import("./connected-apps.tsx"), "ConnectedApps"),
    }),
    createRoute({
      getParentRoute: () => authenticatedLayout,
      path: "/profile/data",
      component: lazyPage(() => import("./own-data.tsx"), "OwnData"),
    }),
  ],
} as const;
