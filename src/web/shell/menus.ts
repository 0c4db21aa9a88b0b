import { AccountButton } from "./account-button.tsx";
import { BellButton } from "./bell-button.tsx";
import { onDemand } from "./on-demand.tsx";
import { OrganizationButton } from "./organization-button.tsx";

export const Bell = onDemand<{ unread: number | null }>(
  () => import("./bell-menu.tsx"),
  BellButton,
  "dialog",
);

export const OrganizationSwitcher = onDemand<object>(
  () => import("./organization-menu.tsx"),
  OrganizationButton,
  "listbox",
);

export const UserMenu = onDemand<object>(() => import("./account-menu.tsx"), AccountButton, "menu");
