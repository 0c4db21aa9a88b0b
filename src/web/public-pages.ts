import { type LazyPage, lazyPage } from "./lib/lazy-page.ts";

/** The pages without navigation that need no sign-in, and neither the router nor the cache of the console, by their path. */
const PAGES: Readonly<Record<string, LazyPage>> = {
  "/sign-in": lazyPage(() => import("./account/sign-in.tsx"), "SignIn"),
  "/register": lazyPage(() => import("./account/register.tsx"), "Register"),
  "/forgot-password": lazyPage(() => import("./account/forgot-password.tsx"), "ForgotPassword"),
  // The next seven pages are opened by links in mails.
  "/verify-email": lazyPage(() => import("./account/verify-email.tsx"), "VerifyEmail"),
  "/reset-password": lazyPage(() => import("./account/reset-password.tsx"), "ResetPassword"),
  "/accept-invitation": lazyPage(() => import("./account/accept-invitation.tsx"), "AcceptInvitation"),
  "/confirm-email-change": lazyPage(() => import("./account/email-links.tsx"), "ConfirmEmailChange"),
  "/cancel-email-change": lazyPage(() => import("./account/email-links.tsx"), "CancelEmailChange"),
  "/undo-email-change": lazyPage(() => import("./account/email-links.tsx"), "UndoEmailChange"),
  "/sign-on-setup": lazyPage(() => import("./organization/sign-on/setup.tsx"), "SignOnSetup"),
  // The API redirects here after third-party sign-in.
  "/auth/callback": lazyPage(() => import("./account/callback.tsx"), "Callback"),
  // Apps open this page. It is no page of the router, which would rewrite the query. The areas have the texts of its scopes.
  "/authorize": lazyPage(async () => {
    const [page] = await Promise.all([import("./account/authorize/page.tsx"), import("./features.ts")]);
    return page;
  }, "Authorize"),
};

/** The page at which a sign-in by the connection of an organization begins: `/sso/<id>`. */
const Sso = lazyPage(() => import("./account/sso.tsx"), "Sso");
const SSO = /^\/sso\/[\w-]+$/;

export const publicPageAt = (path: string): LazyPage | undefined => {
  if (SSO.test(path)) return Sso;
  return Object.hasOwn(PAGES, path) ? PAGES[path] : undefined;
};
