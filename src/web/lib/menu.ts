import type { Client } from "../../client/index.ts";
import type { BothTexts } from "../texts/dictionary.ts";
import type { IconName } from "./icons.tsx";

export const MENU_GROUPS = ["home", "work", "people", "organization", "platform"] as const;
export type MenuGroup = (typeof MENU_GROUPS)[number];

/** An item of the main menu. Each area lists its own items in its feature.ts. */
export type MenuItem = {
  readonly to: string;
  /** The path of another page that belongs to this item, such as its second tab. */
  readonly also?: string;
  readonly text: BothTexts;
  /** The section of the menu; `work` by default. */
  readonly group?: MenuGroup;
  readonly icon?: IconName;
  /** The setting of the service without which the item is not shown. */
  readonly setting?: "oauth" | "sso";
  /**
   * The page that leads to this one, as a tab or by a link. For users who may see it, this item is not in the menu, but the search
   * for pages (Ctrl-K) finds it.
   */
  readonly within?: string;
  /** A further condition for showing the item. An item whose page the session may not see is never shown. */
  readonly isVisible?: (client: Client) => boolean;
};
