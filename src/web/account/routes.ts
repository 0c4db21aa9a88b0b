import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../lib/lazy-page.ts";
import { authenticatedLayout, publicLayout } from "../lib/roots.ts";
import { nextOf, tokenOf } from "./search.ts";

/** The pages of the account area, each loaded on demand. `publicPages` have no navigation and need no sign-in. */
export const accountRoutes = {
  publicPages: [
    createRoute({
      getParentRoute: () => publicLayout,
      path: "/sign-in",
      validateSearch: nextOf,
      component: lazyPage(() => import("./sign-in.tsx"), "SignIn"),
    }),
    createRoute({
      getParentRoute: () => publicLayout,
      path: "/register",
      component: lazyPage(() => import("./register.tsx"), "Register"),
    }),
    // This page and the next six are opened by links in mails.
    createRoute({
      getParentRoute: () => publicLayout,
      path: "/verify-email",
      validateSearch: tokenOf,
      component: lazyPage(() => import("./verify-email.tsx"), "VerifyEmail"),
    }),
    createRoute({
      getParentRoute: () => publicLayout,
      path: "/forgot-password",
      component: lazyPage(() => import("./forgot-password.tsx"), "ForgotPassword"),
    }),
    createRoute({
      getParentRoute: () => publicLayout,
      path: "/reset-password",
      validateSearch: tokenOf,
      component: lazyPage(() => import("./reset-password.tsx"), "ResetPassword"),
    }),
    createRoute({
      getParentRoute: () => publicLayout,
      path: "/accept-invitation",
      validateSearch: tokenOf,
      component: lazyPage(() => import("./accept-invitation.tsx"), "AcceptInvitation"),
    }),
    createRoute({
      getParentRoute: () => publicLayout,
      path: "/confirm-email-change",
      validateSearch: tokenOf,
      component: lazyPage(() => import("./email-links.tsx"), "ConfirmEmailChange"),
    }),
    createRoute({
      getParentRoute: () => publicLayout,
      path: "/cancel-email-change",
      validateSearch: tokenOf,
      component: lazyPage(() => import("./email-links.tsx"), "CancelEmailChange"),
    }),
    createRoute({
      getParentRoute: () => publicLayout,
      path: "/undo-email-change",
      validateSearch: tokenOf,
      component: lazyPage(() => import("./email-links.tsx"), "UndoEmailChange"),
    }),
    // The API redirects here after third-party sign-in.
    createRoute({
      getParentRoute: () => publicLayout,
      path: "/auth/callback",
      component: lazyPage(() => import("./callback.tsx"), "Callback"),
    }),
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
      path: "/profile/data",
      component: lazyPage(() => import("./own-data.tsx"), "OwnData"),
    }),
  ],
} as const;
