import type { AnyRoute } from "@tanstack/react-router";
import type { ComponentType } from "react";
import type { PermissionName, Schemas } from "../../client/index.ts";
import type { BothTexts } from "../texts/dictionary.ts";
import { useLanguage } from "./i18n.tsx";
import type { IconName } from "./icons.tsx";
import type { MenuItem } from "./menu.ts";

type Names = Record<string, string>;
type BothNames = Readonly<Record<string, BothTexts>>;
type Overview = Schemas["OrganizationOverview"];
type Series = readonly Schemas["DayCount"][];

/** What the console knows of an area. Each area has one, in its `feature.ts`; src/web/features.ts lists them. */
export type ConsoleFeature = {
  readonly routes: readonly AnyRoute[];
  readonly menu: readonly MenuItem[];
  /** Path prefixes of routes of the API that act in one organization, besides those of the organization's own areas. */
  readonly ofOrganization?: readonly string[];
  readonly permissions?: BothNames;
  /** What an app may do by each scope, such as `members:read`. */
  readonly scopes?: BothNames;
  /** Names of entities by the part of a permission's name before the dot. */
  readonly entities?: BothNames;
  readonly limits?: BothNames;
  readonly planFeatures?: BothNames;
  /** When events are written, by their types. */
  readonly eventTypes?: BothNames;
  /** Audited actions: a short name, and a sentence with `{actor}` and values of the metadata. */
  readonly audit?: Readonly<Record<string, { readonly name: BothTexts; readonly text: BothTexts }>>;
  /** Icons of the types of records that audited actions are about. */
  readonly targets?: Readonly<Record<string, IconName>>;
  /** Notifications: a text with values of their data, and the path of the page that they open, such as `/notes/{id}`. */
  readonly notifications?: Readonly<Record<string, { readonly text: BothTexts; readonly page?: string }>>;
  readonly errors?: BothNames;
  /** A figure of the organization on the home page; null if the user may not see it. */
  readonly figure?: {
    readonly label: BothTexts;
    readonly of: (overview: Overview) => Series | null;
  };
  /** A part of the home page, for those who hold the permission. */
  readonly home?: { readonly part: ComponentType; readonly needs?: PermissionName };
};

/** Declares an area of the console: returns the same object and keeps its types. */
export const consoleFeature = <const F extends ConsoleFeature>(parts: F): F => parts;

let all: readonly ConsoleFeature[] = [];

/** Makes the areas known to the parts of the console that they share. Called once, before the first page. */
export function compose(features: readonly ConsoleFeature[]): void {
  all = features;
}
export const consoleFeatures = () => all;

type Named = "permissions" | "scopes" | "entities" | "limits" | "planFeatures" | "eventTypes";

/** Returns the names that areas declare of one kind, in the current language. */
export function useDeclaredNames(kind: Named): Names {
  const { language } = useLanguage();
  const entries = all.flatMap((feature) => Object.entries(feature[kind] ?? {}));
  return Object.fromEntries(entries.map(([name, text]) => [name, text[language]]));
}

type Declared = "audit" | "targets" | "notifications" | "errors";
type DeclaredOf<Kind extends Declared> = NonNullable<ConsoleFeature[Kind]>[string];

/** Returns what an area declares under a name that is not the console's own; undefined if none does. */
export const declaredOf = <Kind extends Declared>(kind: Kind, name: string): DeclaredOf<Kind> | undefined =>
  all
    .map((feature): Readonly<Record<string, unknown>> => feature[kind] ?? {})
    .find((names) => Object.hasOwn(names, name))?.[name] as DeclaredOf<Kind> | undefined;

export function useDeclaredActions(): Names {
  const { language } = useLanguage();
  const entries = all.flatMap(({ audit = {} }) => Object.entries(audit));
  return Object.fromEntries(entries.map(([action, { name }]) => [action, name[language]]));
}
