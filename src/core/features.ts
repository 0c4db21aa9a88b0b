import type { z } from "@hono/zod-openapi";
import type { PermissionEntry } from "./access/catalog.ts";
import type { AuditEntry, TargetKind } from "./effects/audit-entry.ts";
import type { EventEntry } from "./effects/event-types.ts";
import type { MailTemplate } from "./effects/mail.ts";
import type { LimitEntry } from "./plans/limit-names.ts";

/**
 * The names that each feature adds to the types of the service. A feature adds itself with declaration merging:
 * `declare module` of this file, with an `interface Features`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: src/features/*/feature.ts extend it
export interface Features {}

/** What a feature declares by name. `compose` merges the declarations of all features. */
export type Declarations = {
  /** Permissions with their scope and text; `"member"` adds one to the built-in role `MEMBER`. */
  permissions?: { readonly [name: string]: PermissionEntry };
  /** Plan limits: how the records of an organization are counted, and what the limit is called. */
  limits?: { readonly [name: string]: LimitEntry };
  /** Features that a plan may have. */
  planFeatures?: { readonly [name: string]: true };
  /** Events for other systems. */
  events?: { readonly [name: string]: EventEntry };
  /** Audited actions. */
  audit?: { readonly [name: string]: AuditEntry };
  /** Types of records that audit events are about, and whom such an event concerns. */
  targets?: { readonly [name: string]: TargetKind };
  /** Types of notifications, with the schemas of their data. */
  notifications?: { readonly [name: string]: z.ZodObject };
  /** Kinds of mails, with their texts. */
  mails?: { readonly [name: string]: MailTemplate };
};
const KINDS = [
  "permissions",
  "limits",
  "planFeatures",
  "events",
  "audit",
  "targets",
  "notifications",
  "mails",
] as const;
type Kind = keyof Declarations;
type Merged = { [K in Kind]-?: NonNullable<Declarations[K]> };

type PartOf<K extends Kind, F> = F extends { [Key in K]: infer Part } ? Part : never;
type AllOf<K extends Kind> = { [Name in keyof Features]: PartOf<K, Features[Name]> }[keyof Features];
type KeyOf<Part> = Part extends unknown ? keyof Part & string : never;
/** The names of one kind that all features declare, for example `NameOf<"permissions">`. */
export type NameOf<K extends Kind> = KeyOf<AllOf<K>>;

type Intersection<Union> = (Union extends unknown ? (part: Union) => void : never) extends (
  part: infer All,
) => void
  ? All
  : never;
/** Everything of one kind that all features declare. */
export type DeclaredOf<K extends Kind> = Intersection<AllOf<K>>;

let merged: Merged | null = null;

/**
 * Merges the declarations of all features, in the order of the list. Names in `order` come first, in that order.
 * @throws Error if two features declare the same name
 */
export function compose(features: readonly Declarations[], order: { [K in Kind]?: readonly string[] }): void {
  const of = <K extends Kind>(kind: K) => {
    const entries = features.flatMap((feature) => Object.entries(feature[kind] ?? {}));
    const names = [...new Set([...(order[kind] ?? []), ...entries.map(([name]) => name)])];
    const byName = new Map(entries);
    if (byName.size < entries.length) throw new Error(`Two features declare the same name in ${kind}`);
    return Object.fromEntries(names.flatMap((name) => (byName.has(name) ? [[name, byName.get(name)]] : [])));
  };
  merged = Object.fromEntries(KINDS.map((kind) => [kind, of(kind)])) as Merged;
}

/** Returns what all features declare of one kind, by name. Schemas of names call it when they are first used. */
export function declared<K extends Kind>(kind: K): Merged[K] {
  if (merged === null) throw new Error("No features were composed: import src/app/features.ts first");
  return merged[kind];
}
