import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { outside } from "../roots.tsx";
import { nextOf } from "./next.ts";

/** The pages of this area; each is loaded on demand. `outside` stand without navigation, for whoever is not signed in. */
export const accountRoutes = {
  outside: [
    createRoute({
      getParentRoute: () => outside,
      path: "/sign-in",
      validateSearch: nextOf,
      component: lazyRouteComponent(() => import("./sign-in.tsx"), "SignIn"),
    }),
  ],
  inside: [],
} as const;
