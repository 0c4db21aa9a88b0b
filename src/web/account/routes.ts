import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../lib/lazy-page.ts";
import { page, publicLayout } from "../lib/roots.ts";
import { nextOf } from "./search.ts";

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
    page("/profile", null, () => import("./profile.tsx"), "Profile"),
    page("/profile/security", null, () => import("./security.tsx"), "Security"),
    page("/profile/sessions", null, () => import("./sessions.tsx"), "Sessions"),
    page("/profile/apps", null, () => import("./connected-apps.tsx"), "ConnectedApps"),
    page("/profile/data", null, () => import("./own-data.tsx"), "OwnData"),
  ],
} as const;
