import { AccountButton } from "./account-button.tsx";
import { BellButton } from "./bell-button.tsx";
import { onDemand } from "./on-demand.tsx";
import { OrganizationButton } from "./organization-button.tsx";

/** The notifications in the header. */
export const Bell = onDemand<{ unread: number | null }>(
  () => import("./bell-menu.tsx"),
  BellButton,
  "dialog",
);

/** The organization that one acts in, and the way to the others. */
export const OrganizationSwitcher = onDemand<object>(
  () => import("./organization-menu.tsx"),
  OrganizationButton,
  "listbox",
);

/** The account menu. */
export const UserMenu = onDemand<object>(() => import("./account-menu.tsx"), AccountButton, "menu");
