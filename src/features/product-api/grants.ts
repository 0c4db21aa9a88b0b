import type { Product } from "#kit/inside";

/** A role of an actor as the query returns it: its unit with all units below, or null for the whole organization. */
type GrantRow = { permissions: string[]; unitId: string | null; units: string[] | null };

export type ProductGrants = {
  permissions: string[];
  unitGrants: { permissions: string[]; units: string[] }[];
};

/**
 * Returns what roles grant of the manifest, by the rules of access tokens: a permission of an organization has no effect
 * in a unit, grants with the same permissions are one, each name stands once and as in the manifest.
 */
export function grantsOf({ permissions }: Product, rows: unknown): ProductGrants {
  const names = Object.keys(permissions);
  const known = (granted: string[], isWanted: (name: string) => boolean) =>
    names.filter((name) => granted.includes(name) && isWanted(name));
  const wide = new Set<string>();
  const unitGrants = new Map<string, { permissions: string[]; units: Set<string> }>();
  for (const { permissions: granted, unitId, units } of rows as GrantRow[]) {
    if (unitId === null) for (const name of granted) wide.add(name);
    else {
      const inUnit = known(granted, (name) => permissions[name]?.scope === "unit");
      const grant = unitGrants.get(inUnit.join()) ?? { permissions: inUnit, units: new Set() };
      for (const unit of units ?? []) grant.units.add(unit);
      unitGrants.set(inUnit.join(), grant);
    }
  }
  return {
    permissions: known([...wide], () => true),
    unitGrants: [...unitGrants.values()].map((grant) => ({ ...grant, units: [...grant.units] })),
  };
}
