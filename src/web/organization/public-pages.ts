import { lazyPage, type PublicPages } from "../lib/lazy-page.ts";

export const organizationPublicPages: PublicPages = {
  "/sign-on-setup": lazyPage(() => import("./sign-on/setup.tsx"), "SignOnSetup"),
};
