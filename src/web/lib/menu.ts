import type { Client } from "../../client/index.ts";
import type { Language } from "./i18n.tsx";
import type { IconName } from "./icons.tsx";

/** The parts of the main menu, in their order. */
export const MENU_GROUPS = ["home", "work", "people", "organization", "platform"] as const;
export type MenuGroup = (typeof MENU_GROUPS)[number];

/** An item of the main menu; each area lists its own in its menu.ts. */
export type MenuItem = {
  /** The path of a route. */
  readonly to: string;
  readonly text: Readonly<Record<Language, string>>;
  /** The part of the menu; `work` if absent. */
  readonly group?: MenuGroup;
  readonly icon?: IconName;
  /**
   * Whether the session sees the item: `(client) => Boolean(client.can("Members.Read"))`. If absent, every session
   * does.
   */
  readonly isVisible?: (client: Client) => boolean;
};
