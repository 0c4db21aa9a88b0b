// biome-ignore-all lint/suspicious/noEmptyInterface: the features fill it
/*
 * What each feature declares by name, by the feature's name. A feature adds itself with declaration merging: `declare module`
 * of this file, in src/features/<name>/feature.ts. The types of names follow from it.
 */
export interface Features {}

/** What every feature declares of one kind. */
type PartOf<Kind extends string> = {
  [Name in keyof Features]: Kind extends keyof Features[Name] ? Features[Name][Kind] : never;
}[keyof Features];
/** The names that all features declare of one kind, for example `NameOf<"permissions">`. */
export type NameOf<Kind extends string> = KeyOf<PartOf<Kind>>;
type KeyOf<Part> = Part extends unknown ? keyof Part & string : never;
/** Everything that all features declare of one kind, by name. */
export type AllOf<Kind extends string> = Intersection<PartOf<Kind>>;
type Intersection<Union> = (Union extends unknown ? (part: Union) => void : never) extends (
  part: infer All,
) => void
  ? All
  : never;

/** What a feature declares by name: see src/core/api/feature.ts. */
const KINDS = [
  "callers",
  "permissions",
  "limits",
  "planFeatures",
  "events",
  "audit",
  "targets",
  "notifications",
  "mails",
  "overview",
  "personalData",
  "tags",
] as const;
type Kind = (typeof KINDS)[number];
type Merged = { readonly [K in Kind]: Readonly<Record<string, unknown>> };

/** What a feature declares once, not by name. */
type Single = "holds" | "ends";

let merged: Merged | null = null;
let composed: readonly { readonly [K in Single]?: object | undefined }[] = [];

/**
 * Merges the declarations of all features. The names in `order` come first, sorted as there; others are sorted as their
 * features are.
 * @throws Error if two features declare the same name
 */
export function compose(
  features: readonly { readonly [K in Kind | Single]?: object | undefined }[],
  order: { [K in Kind]?: readonly string[] },
): void {
  const of = (kind: Kind) => {
    const entries = features.flatMap((feature) => Object.entries(feature[kind] ?? {}));
    const byName = new Map<string, unknown>(entries);
    if (byName.size < entries.length) throw new Error(`Two features declare the same name in ${kind}`);
    const names = new Set([...(order[kind] ?? []).filter((name) => byName.has(name)), ...byName.keys()]);
    return Object.fromEntries([...names].map((name) => [name, byName.get(name)]));
  };
  merged = Object.fromEntries(KINDS.map((kind) => [kind, of(kind)])) as Merged;
  composed = features;
}

/**
 * Returns what all features declare of one kind, by name. Schemas of names call it when they are first used.
 * @example declared<PermissionEntry>("permissions")["Members.Read"]
 */
export function declared<Entry>(kind: Kind): Readonly<Record<string, Entry>> {
  if (merged === null) throw new Error("No features were composed: import src/app/features.ts first");
  return merged[kind] as Readonly<Record<string, Entry>>;
}

/** Returns what each feature declares once, sorted as the features are. */
export const ofEach = <Part extends object>(kind: Single): Part[] =>
  composed.flatMap((feature) => (feature[kind] as Part | undefined) ?? []);
