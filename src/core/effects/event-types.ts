import type { z } from "zod";
import type { Permission } from "../access/catalog.ts";
import { type AllOf, declared, type NameOf } from "../definitions/features.ts";

/** A type of events for other systems, which a feature declares. */
export type EventEntry = {
  /** The permission that is required to read the object, and so the event. */
  readonly permission: Permission;
  /** When the event is written. */
  readonly text: string;
  /** The schema of the record in the event: the one of the record's own route. */
  readonly object: z.ZodType;
};

/** Declares the types of events about one kind of record, each with its text. */
export const eventsAbout = <
  Schema extends z.ZodType,
  const Name extends string,
  const Texts extends Record<string, string>,
>(
  object: Schema,
  permission: Name,
  texts: Texts,
) =>
  Object.fromEntries(
    Object.entries(texts).map(([type, text]) => [type, { object, permission, text }]),
  ) as unknown as {
    readonly [Type in keyof Texts]: {
      readonly object: Schema;
      readonly permission: Name;
      readonly text: string;
    };
  };

/** The name of an event type, as `<record>.<what happened>`. */
export type EventType = NameOf<"events">;
/** The record in an event of a type, as its schema describes it. */
export type EventObject<Type extends EventType> = z.output<AllOf<"events">[Type]["object"]>;

/** Returns the event types of all features by name. */
export const eventTypes = () =>
  declared<EventEntry>("events") as { readonly [Type in EventType]: EventEntry };
export const eventTypeNames = () => Object.keys(eventTypes()) as EventType[];

/** The reasons for which a record ended, for event types with several reasons. */
export type EventReason =
  | "removed"
  | "left"
  | "account_deleted"
  | "revoked"
  | "superseded"
  | "MANUAL"
  | "FAILING"
  | "GONE"
  | "CREATOR_DELETED"
  | "NO_MEMBERS";
