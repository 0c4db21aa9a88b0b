import type { MenuItem } from "../lib/menu.ts";

/** The items of the todos area in the main menu. */
export const todoMenu: readonly MenuItem[] = [
  {
    to: "/todos",
    icon: "check",
    text: { en: "Todos", el: "Εργασίες" },
    isVisible: (client) => {
      const session = client.session.get();
      return session.status === "signed-in" && session.organization !== null;
    },
  },
];
