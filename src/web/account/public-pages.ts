import { lazyPage, type PublicPages } from "../lib/lazy-page.ts";

/** The pages of the account without navigation that need no sign-in, and neither the router nor the cache of the console. */
export const accountPublicPages: PublicPages = {
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
