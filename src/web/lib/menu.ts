import type { Client } from "../../client/index.ts";
import type { Language } from "./i18n.tsx";

/** An item of the main menu; each area lists its own in its menu.ts. */
export type MenuItem = {
  /** The path of a route. */
  readonly to: string;
  readonly text: Readonly<Record<Language, string>>;
  /**
   * Whether the session sees the item: `(client) => Boolean(client.can("Members.Read"))`. If absent, every session
   * does.
   */
  readonly isVisible?: (client: Client) => boolean;
};
