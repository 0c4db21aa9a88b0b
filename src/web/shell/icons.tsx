import { icons } from "../ui/icons.tsx";

export const { bell: BellIcon, search: SearchIcon, chevrons: ChevronsIcon } = icons;
