import { builtIn } from "../texts/role-names.ts";
import { useTexts } from "./i18n.tsx";

/**
 * Returns a function that translates the names of built-in roles, which are reserved, so that they can be translated by name. It
 * returns names of custom roles unchanged.
 */
export function useRoleName(): (name: string) => string {
  const names: Partial<Record<string, string>> = useTexts(builtIn);
  return (name) => (Object.hasOwn(names, name) ? names[name] : undefined) ?? name;
}
