import type { Client } from "../../client/index.ts";
import { consoleFeatures } from "../lib/features.ts";
import type { MenuItem } from "../lib/menu.ts";
import type { PageNeeds } from "../lib/roots.ts";
import type { Settings } from "../lib/settings.ts";

export const menu = (): readonly MenuItem[] => [
  { to: "/", group: "home", icon: "home", text: { en: "Home", el: "Αρχική" } },
  ...consoleFeatures().flatMap(({ menu }) => menu),
];

export const isWithin = (pathname: string, path: string | undefined): boolean =>
  pathname === path || (path !== undefined && path !== "/" && pathname.startsWith(`${path}/`));

export function fulfils(client: Client, needs: PageNeeds | undefined): boolean {
  const session = client.session.get();
  if (needs === "platform") return session.status === "signed-in" && session.isPlatformAdmin;
  return needs === undefined || Boolean(client.can(needs));
}

export function maySee(client: Client, path: string): boolean {
  const routes = consoleFeatures().flatMap((feature) => feature.routes);
  return fulfils(client, routes.find(({ fullPath }) => fullPath === path)?.options.staticData?.needs);
}

/** Returns the items whose pages the session may see. Until the settings are known, those that need one are missing. */
export const reachableItems = (client: Client, settings?: Settings): readonly MenuItem[] =>
  menu().filter(
    ({ to, setting, isVisible }) =>
      maySee(client, to) &&
      (setting === undefined || settings?.[setting] === true) &&
      (isVisible?.(client) ?? true),
  );

/** Returns the items of the main menu that the session sees. */
export const visibleMenu = (client: Client, settings?: Settings): readonly MenuItem[] =>
  reachableItems(client, settings).filter(({ within }) => within === undefined || !maySee(client, within));
