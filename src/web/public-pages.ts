import { accountPublicPages } from "./account/public-pages.ts";
import { type LazyPage, lazyPage, type PublicPages } from "./lib/lazy-page.ts";
import { organizationPublicPages } from "./organization/public-pages.ts";

const PAGES: PublicPages = {
  ...accountPublicPages,
  ...organizationPublicPages,
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
