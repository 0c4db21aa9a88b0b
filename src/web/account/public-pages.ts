import type { ComponentType } from "react";
import { lazyPage } from "../lib/lazy-page.ts";

type PublicPage = ComponentType & { preload(): Promise<void> };

/** The pages without navigation that need no sign-in, and neither the router nor the cache of the console. */
const PUBLIC_PAGES: Readonly<Record<string, PublicPage>> = {
  "/sign-in": lazyPage(() => import("./sign-in.tsx"), "SignIn"),
  "/register": lazyPage(() => import("./register.tsx"), "Register"),
  "/forgot-password": lazyPage(() => import("./forgot-password.tsx"), "ForgotPassword"),
  // The next six pages are opened by links in mails.
  "/verify-email": lazyPage(() => import("./verify-email.tsx"), "VerifyEmail"),
  "/reset-password": lazyPage(() => import("./reset-password.tsx"), "ResetPassword"),
  "/accept-invitation": lazyPage(() => import("./accept-invitation.tsx"), "AcceptInvitation"),
  "/confirm-email-change": lazyPage(() => import("./email-links.tsx"), "ConfirmEmailChange"),
  "/cancel-email-change": lazyPage(() => import("./email-links.tsx"), "CancelEmailChange"),
  "/undo-email-change": lazyPage(() => import("./email-links.tsx"), "UndoEmailChange"),
  // The API redirects here after third-party sign-in.
  "/auth/callback": lazyPage(() => import("./callback.tsx"), "Callback"),
};

/** Returns the public page at a path of the console. */
export const publicPageAt = (path: string): PublicPage | undefined =>
  Object.hasOwn(PUBLIC_PAGES, path) ? PUBLIC_PAGES[path] : undefined;
