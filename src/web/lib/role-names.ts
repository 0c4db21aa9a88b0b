import * as el from "../texts/el/role-names.ts";
import * as en from "../texts/en/role-names.ts";
import { dictionary, useTexts } from "./i18n.tsx";

/** The names of built-in roles are reserved, so they can be translated by name. */
const builtIn = dictionary(en.builtIn, el.builtIn);

/** Returns a function that translates the names of built-in roles. It returns names of custom roles unchanged. */
export function useRoleName(): (name: string) => string {
  const names: Partial<Record<string, string>> = useTexts(builtIn);
  return (name) => (Object.hasOwn(names, name) ? names[name] : undefined) ?? name;
}
