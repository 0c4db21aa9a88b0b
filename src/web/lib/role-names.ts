import { dictionary, useTexts } from "./i18n.tsx";

/** Their names are reserved, so that a name is enough. */
const builtIn = dictionary(
  { ORG_ADMIN: "Administrator", UNIT_ADMIN: "Unit administrator", MEMBER: "Member" },
  { ORG_ADMIN: "Διαχειριστής", UNIT_ADMIN: "Διαχειριστής μονάδας", MEMBER: "Μέλος" },
);

/** Returns a function from the name of a role to what is shown of it; those of an organization are their own names. */
export function useRoleName(): (name: string) => string {
  const names: Partial<Record<string, string>> = useTexts(builtIn);
  return (name) => (Object.hasOwn(names, name) ? names[name] : undefined) ?? name;
}
