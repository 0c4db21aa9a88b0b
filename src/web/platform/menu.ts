import type { MenuItem } from "../lib/menu.ts";

/** What this area adds to the main menu. */
export const platformMenu: readonly MenuItem[] = [];
