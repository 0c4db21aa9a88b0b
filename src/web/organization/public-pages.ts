import { lazyPage, type PublicPages } from "../lib/lazy-page.ts";

/** The page of the organization that needs no sign-in: mails link to it. */
export const organizationPublicPages: PublicPages = {
  "/sign-on-setup": lazyPage(() => import("./sign-on/setup.tsx"), "SignOnSetup"),
};
