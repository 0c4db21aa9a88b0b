import { helpdeskMenu } from "../helpdesk/menu.ts";
import type { MenuItem } from "../lib/menu.ts";
import { organizationMenu } from "../organization/menu.ts";
import { platformMenu } from "../platform/menu.ts";
import { todoMenu } from "../todos/menu.ts";

/** The main menu: the items of all areas, in this order. */
export const menu: readonly MenuItem[] = [
  { to: "/", group: "home", icon: "home", text: { en: "Home", el: "Αρχική" } },
  ...todoMenu,
  ...helpdeskMenu,
  ...organizationMenu,
  ...platformMenu,
];
