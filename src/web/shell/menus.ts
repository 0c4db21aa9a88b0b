import { AccountButton } from "./account-button.tsx";
import { BellButton } from "./bell-button.tsx";
import { onDemand } from "./on-demand.tsx";
import { OrganizationButton } from "./organization-button.tsx";

/** The notifications menu in the header, loaded on demand. */
export const Bell = onDemand<{ unread: number | null }>(
  () => import("./bell-menu.tsx"),
  BellButton,
  "dialog",
);

/** The organization menu, loaded on demand: the active organization and the others to switch to. */
export const OrganizationSwitcher = onDemand<object>(
  () => import("./organization-menu.tsx"),
  OrganizationButton,
  "listbox",
);

/** The account menu, loaded on demand. */
export const UserMenu = onDemand<object>(() => import("./account-menu.tsx"), AccountButton, "menu");
