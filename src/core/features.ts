// biome-ignore-all lint/suspicious/noEmptyInterface: the features fill them
// biome-ignore-all lint/complexity/noBannedTypes: see above
import type { z } from "@hono/zod-openapi";
import type { PermissionEntry } from "./access/catalog.ts";
import type { AuditEntry, TargetKind } from "./effects/audit-entry.ts";
import type { EventEntry } from "./effects/event-types.ts";
import type { MailTemplate } from "./effects/mail.ts";
import type { PersonalFile } from "./personal-data.ts";
import type { LimitEntry } from "./plans/limit-names.ts";

/*
 * What each feature declares, by the feature's name. A feature adds itself with declaration merging: `declare module` of
 * this file, in src/features/<name>/feature.ts. The types of names follow from it.
 */
export interface Permissions {}
export interface Limits {}
export interface PlanFeatures {}
export interface Events {}
export interface AuditActions {}
export interface Targets {}
export interface Notifications {}
export interface Mails {}

/** The names that all features declare in one of these interfaces, for example `NameOf<Permissions>`. */
export type NameOf<Declared> = KeyOf<Declared[keyof Declared]>;
type KeyOf<Part> = Part extends unknown ? keyof Part & string : never;
/** Everything that all features declare in one of these interfaces. */
export type AllOf<Declared> = Intersection<Declared[keyof Declared]>;
type Intersection<Union> = (Union extends unknown ? (part: Union) => void : never) extends (
  part: infer All,
) => void
  ? All
  : never;

type ByName<Entry> = { readonly [name: string]: Entry };
/** What a feature declares by name. `compose` merges the declarations of all features. */
export type Declarations = {
  /** Permissions with their scope and text; `"member"` adds one to the built-in role `MEMBER`. */
  permissions?: ByName<PermissionEntry>;
  /** Plan limits: how the records of an organization are counted, and what the limit is called. */
  limits?: ByName<LimitEntry>;
  /** Features that a plan may have. */
  planFeatures?: ByName<true>;
  /** Events for other systems. */
  events?: ByName<EventEntry>;
  /** Audited actions. */
  audit?: ByName<AuditEntry>;
  /** Types of records that audit events are about, and whom such an event concerns. */
  targets?: ByName<TargetKind>;
  /** Types of notifications, with the schemas of their data. */
  notifications?: ByName<z.ZodObject>;
  /** Kinds of mails, with their texts. */
  mails?: ByName<MailTemplate>;
  /** Files of the export of an account's data. */
  personalData?: ByName<PersonalFile>;
  /** Tags of the OpenAPI document, with their descriptions. */
  tags?: ByName<string>;
};
type Kind = keyof Declarations;
type Merged = { [K in Kind]-?: NonNullable<Declarations[K]> };
const KINDS = [
  "permissions",
  "limits",
  "planFeatures",
  "events",
  "audit",
  "targets",
  "notifications",
  "mails",
  "personalData",
  "tags",
] as const satisfies Kind[];

let merged: Merged | null = null;

/**
 * Merges the declarations of all features, in the order of the list. Names in `order` come first, in that order.
 * @throws Error if two features declare the same name
 */
export function compose(features: readonly Declarations[], order: { [K in Kind]?: readonly string[] }): void {
  const of = (kind: Kind) => {
    const entries = features.flatMap((feature) => Object.entries(feature[kind] ?? {}));
    const byName = new Map<string, unknown>(entries);
    if (byName.size < entries.length) throw new Error(`Two features declare the same name in ${kind}`);
    const names = new Set([...(order[kind] ?? []).filter((name) => byName.has(name)), ...byName.keys()]);
    return Object.fromEntries([...names].map((name) => [name, byName.get(name)]));
  };
  merged = Object.fromEntries(KINDS.map((kind) => [kind, of(kind)])) as Merged;
}

/** Returns what all features declare of one kind, by name. Schemas of names call it when they are first used. */
export function declared<K extends Kind>(kind: K): Merged[K] {
  if (merged === null) throw new Error("No features were composed: import src/app/features.ts first");
  return merged[kind];
}
