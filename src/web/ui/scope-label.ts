import { useDeclaredNames } from "../lib/features.ts";
import { useTexts } from "../lib/i18n.tsx";
import { generalScopeTexts, scopeTexts } from "../texts/scopes.ts";
import { useLabels } from "./labels.ts";

/** Returns the entity of a scope as permissions name it: `ServiceAccounts` of `service-accounts:read`. */
const entityOf = (name: string) =>
  (name.split(":")[0] ?? "").replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/**
 * Returns a function that says in words what an app may do by a scope, such as `members:read`. For a scope that the console
 * does not know it returns the description of the API; without one, the name of what the app may see or change.
 */
export function useScopeLabel(): (name: string, description?: string) => string {
  const known: Readonly<Record<string, string>> = { ...useTexts(scopeTexts), ...useDeclaredNames("scopes") };
  const general = useTexts(generalScopeTexts);
  const words = useLabels();
  return (name, description) => {
    if (Object.hasOwn(known, name)) return known[name] ?? name;
    const entity = words.entity(entityOf(name));
    return description ?? (name.endsWith(":write") ? general.change(entity) : general.see(entity));
  };
}
