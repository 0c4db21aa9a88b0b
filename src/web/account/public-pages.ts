import type { ComponentType } from "react";
import { lazyPage } from "../lib/lazy-page.ts";

type PublicPage = { readonly path: string; readonly component: ComponentType & { preload(): Promise<void> } };
const publicPage = (page: PublicPage): PublicPage => page;

/** The pages without navigation that need no sign-in, and neither the router nor the cache of the console. */
export const publicPages = [
  publicPage({
    path: "/sign-in",
    component: lazyPage(() => import("./sign-in.tsx"), "SignIn"),
  }),
  publicPage({
    path: "/register",
    component: lazyPage(() => import("./register.tsx"), "Register"),
  }),
  // This page and the next six are opened by links in mails.
  publicPage({
    path: "/verify-email",
    component: lazyPage(() => import("./verify-email.tsx"), "VerifyEmail"),
  }),
  publicPage({
    path: "/forgot-password",
    component: lazyPage(() => import("./forgot-password.tsx"), "ForgotPassword"),
  }),
  publicPage({
    path: "/reset-password",
    component: lazyPage(() => import("./reset-password.tsx"), "ResetPassword"),
  }),
  publicPage({
    path: "/accept-invitation",
    component: lazyPage(() => import("./accept-invitation.tsx"), "AcceptInvitation"),
  }),
  publicPage({
    path: "/confirm-email-change",
    component: lazyPage(() => import("./email-links.tsx"), "ConfirmEmailChange"),
  }),
  publicPage({
    path: "/cancel-email-change",
    component: lazyPage(() => import("./email-links.tsx"), "CancelEmailChange"),
  }),
  publicPage({
    path: "/undo-email-change",
    component: lazyPage(() => import("./email-links.tsx"), "UndoEmailChange"),
  }),
  // The API redirects here after third-party sign-in.
  publicPage({
    path: "/auth/callback",
    component: lazyPage(() => import("./callback.tsx"), "Callback"),
  }),
];

/** Returns the public page at a path of the console. */
export const publicPageAt = (path: string): PublicPage | undefined =>
  publicPages.find((page) => page.path === path);
