import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { inside, outside } from "../lib/roots.ts";
import { nextOf, tokenOf } from "./search.ts";

/** The pages of this area; each is loaded on demand. `outside` stand without navigation, for whoever is not signed in. */
export const accountRoutes = {
  outside: [
    createRoute({
      getParentRoute: () => outside,
      path: "/sign-in",
      validateSearch: nextOf,
      component: lazyRouteComponent(() => import("./sign-in.tsx"), "SignIn"),
    }),
    createRoute({
      getParentRoute: () => outside,
      path: "/register",
      component: lazyRouteComponent(() => import("./register.tsx"), "Register"),
    }),
    // Mails link to this one and the next three.
    createRoute({
      getParentRoute: () => outside,
      path: "/verify-email",
      validateSearch: tokenOf,
      component: lazyRouteComponent(() => import("./verify-email.tsx"), "VerifyEmail"),
    }),
    createRoute({
      getParentRoute: () => outside,
      path: "/forgot-password",
      component: lazyRouteComponent(() => import("./forgot-password.tsx"), "ForgotPassword"),
    }),
    createRoute({
      getParentRoute: () => outside,
      path: "/reset-password",
      validateSearch: tokenOf,
      component: lazyRouteComponent(() => import("./reset-password.tsx"), "ResetPassword"),
    }),
    createRoute({
      getParentRoute: () => outside,
      path: "/accept-invitation",
      validateSearch: tokenOf,
      component: lazyRouteComponent(() => import("./accept-invitation.tsx"), "AcceptInvitation"),
    }),
    // The API leads here after a sign-in by another service.
    createRoute({
      getParentRoute: () => outside,
      path: "/auth/callback",
      component: lazyRouteComponent(() => import("./callback.tsx"), "Callback"),
    }),
    createRoute({
      getParentRoute: () => outside,
      path: "/two-factor",
      validateSearch: nextOf,
      component: lazyRouteComponent(() => import("./required-two-factor.tsx"), "RequiredTwoFactor"),
    }),
  ],
  inside: [
    // Mails link to it.
    createRoute({
      getParentRoute: () => inside,
      path: "/profile",
      component: lazyRouteComponent(() => import("./profile.tsx"), "Profile"),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: "/profile/security",
      component: lazyRouteComponent(() => import("./security.tsx"), "Security"),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: "/profile/sessions",
      component: lazyRouteComponent(() => import("./sessions.tsx"), "Sessions"),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: "/profile/data",
      component: lazyRouteComponent(() => import("./own-data.tsx"), "OwnData"),
    }),
  ],
} as const;
