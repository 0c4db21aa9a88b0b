import { icons } from "../lib/icons.tsx";

export const { bell: BellIcon, search: SearchIcon, chevrons: ChevronsIcon } = icons;
