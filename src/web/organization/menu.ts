import type { MenuItem } from "../lib/menu.ts";

/** What this area adds to the main menu. */
export const organizationMenu: readonly MenuItem[] = [];
