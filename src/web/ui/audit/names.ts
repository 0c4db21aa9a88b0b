import type { Schemas } from "../../../client/index.ts";

export type Event = Schemas["AuditEvent"];
export type TargetType = NonNullable<Event["targetType"]>;

export type PageAddress = { readonly to: string; readonly search?: Readonly<Record<string, string>> };

/** Returns names for the ids in events. Only records that exist and that the caller may read have names. */
export type Names = {
  readonly person: (id: string) => string | undefined;
  readonly unit: (id: string) => string | undefined;
  readonly role: (id: string) => string | undefined;
};

export type LinkedNames = Names & {
  readonly organization: (id: string) => string | undefined;
  /** Returns the page of a record; undefined if it is unknown, or if the caller may not open it. */
  readonly page: (type: TargetType, id: string) => PageAddress | undefined;
};

/** Returns the ids of the people in events: those who acted, and those whom the events are about. */
export const peopleIn = (events: readonly Event[]): string[] =>
  [
    ...new Set(
      events.flatMap(({ actor, targetType, targetId }) => [
        ...(actor ? [actor.id] : []),
        ...(targetType === "user" && targetId ? [targetId] : []),
      ]),
    ),
  ].sort();
