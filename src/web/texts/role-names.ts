import { dictionary } from "./dictionary.ts";

/** The names of built-in roles are reserved, so they can be translated by name. */
export const builtIn = dictionary({
  ORG_ADMIN: { en: "Administrator", el: "Διαχειριστής" },
  UNIT_ADMIN: { en: "Unit administrator", el: "Διαχειριστής μονάδας" },
  MEMBER: { en: "Member", el: "Μέλος" },
});
