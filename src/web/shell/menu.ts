import { consoleFeatures } from "../lib/features.ts";
import type { MenuItem } from "../lib/menu.ts";

/** Returns the main menu: the items of all areas, in their order. */
export const menu = (): readonly MenuItem[] => [
  { to: "/", group: "home", icon: "home", text: { en: "Home", el: "Αρχική" } },
  ...consoleFeatures().flatMap(({ menu }) => menu),
];

/** Whether a page is that of a path, or below it. */
export const isWithin = (pathname: string, path: string | undefined): boolean =>
  pathname === path || (path !== undefined && path !== "/" && pathname.startsWith(`${path}/`));
