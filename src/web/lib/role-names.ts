import * as el from "../texts/el/role-names.ts";
import * as en from "../texts/en/role-names.ts";
import { dictionary, useTexts } from "./i18n.tsx";

/** Their names are reserved, so that a name is enough. */
const builtIn = dictionary(en.builtIn, el.builtIn);

/** Returns a function from the name of a role to what is shown of it; those of an organization are their own names. */
export function useRoleName(): (name: string) => string {
  const names: Partial<Record<string, string>> = useTexts(builtIn);
  return (name) => (Object.hasOwn(names, name) ? names[name] : undefined) ?? name;
}
