import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { authenticatedLayout, publicLayout } from "../lib/roots.ts";
import { nextOf, tokenOf } from "./search.ts";

/** The pages of this area, each loaded on demand. `publicPages` have no navigation and need no sign-in. */
export const accountRoutes = {
  publicPages: [
    createRoute({
      getParentRoute: () => publicLayout,
      path: "/sign-in",
      validateSearch: nextOf,
      component: lazyRouteComponent(() => import("./sign-in.tsx"), "SignIn"),
    }),
    createRoute({
      getParentRoute: () => publicLayout,
      path: "/register",
      component: lazyRouteComponent(() => import("./register.tsx"), "Register"),
    }),
    // This page and the next three are opened by links in mails.
    createRoute({
      getParentRoute: () => publicLayout,
      path: "/verify-email",
      validateSearch: tokenOf,
      component: lazyRouteComponent(() => import("./verify-email.tsx"), "VerifyEmail"),
    }),
    createRoute({
      getParentRoute: () => publicLayout,
      path: "/forgot-password",
      component: lazyRouteComponent(() => import("./forgot-password.tsx"), "ForgotPassword"),
    }),
    createRoute({
      getParentRoute: () => publicLayout,
      path: "/reset-password",
      validateSearch: tokenOf,
      component: lazyRouteComponent(() => import("./reset-password.tsx"), "ResetPassword"),
    }),
    createRoute({
      getParentRoute: () => publicLayout,
      path: "/accept-invitation",
      validateSearch: tokenOf,
      component: lazyRouteComponent(() => import("./accept-invitation.tsx"), "AcceptInvitation"),
    }),
    // The API redirects here after third-party sign-in.
    createRoute({
      getParentRoute: () => publicLayout,
      path: "/auth/callback",
      component: lazyRouteComponent(() => import("./callback.tsx"), "Callback"),
    }),
    createRoute({
      getParentRoute: () => publicLayout,
      path: "/two-factor",
      validateSearch: nextOf,
      component: lazyRouteComponent(() => import("./required-two-factor.tsx"), "RequiredTwoFactor"),
    }),
  ],
  profilePages: [
    // This page is opened by links in mails.
    createRoute({
      getParentRoute: () => authenticatedLayout,
      path: "/profile",
      component: lazyRouteComponent(() => import("./profile.tsx"), "Profile"),
    }),
    createRoute({
      getParentRoute: () => authenticatedLayout,
      path: "/profile/security",
      component: lazyRouteComponent(() => import("./security.tsx"), "Security"),
    }),
    createRoute({
      getParentRoute: () => authenticatedLayout,
      path: "/profile/sessions",
      component: lazyRouteComponent(() => import("./sessions.tsx"), "Sessions"),
    }),
    createRoute({
      getParentRoute: () => authenticatedLayout,
      path: "/profile/data",
      component: lazyRouteComponent(() => import("./own-data.tsx"), "OwnData"),
    }),
  ],
} as const;
