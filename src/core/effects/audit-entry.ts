import { z } from "@hono/zod-openapi";
import { type AllOf, declared, type NameOf } from "../definitions/features.ts";
import { textExample } from "../definitions/fields.ts";
import { changedVia, RoleEntry } from "./entries.ts";

/**
 * Whom an audit event about a record of this type concerns, and so which unit administrators may read it (rules 16.14):
 * - `user`: the record is an account
 * - `unit`: the record is a unit
 * - `person`: a record of one person, `personId`; without one it concerns the whole organization
 * - `places`: a record that is assigned to units, `unitIds`; null among them stands for the whole organization
 * - `organization`: the whole organization
 * - `nobody`: only the actor
 */
export type TargetKind = "user" | "unit" | "person" | "places" | "organization" | "nobody";
/** A type of record that audit events are about. */
export type TargetType = NameOf<"targets">;
export const targetTypes = () => Object.keys(targetKinds()) as TargetType[];
export const targetKinds = () =>
  declared<TargetKind>("targets") as { readonly [Type in TargetType]: TargetKind };

/** An audited action, which a feature declares. */
export type AuditEntry = {
  /** The type of the record that its events are about. */
  readonly target: TargetType;
  /** Whether an event of this action may have no target. */
  readonly isUntargeted?: true;
  /**
   * The schema of the metadata, for example old and new values. The metadata must not contain a password or a
   * token.
   */
  readonly metadata: z.ZodObject;
  /**
   * The schema of the metadata in responses, if it differs because parts are hidden from some readers (rules 16.15).
   */
  readonly shown?: z.ZodObject;
  /** The fields of the metadata with lists of entries that have a unit, of which a reader sees those in reach. */
  readonly places?: readonly string[];
  /** The field of the metadata with the id of an invitation, which a reader sees if its units are in reach. */
  readonly mentions?: string;
};

type Actions = AllOf<"audit">;
export type AuditAction = keyof Actions & string;
export type AuditMetadata = {
  [Action in AuditAction]: Actions[Action] extends { metadata: infer Schema extends z.ZodObject }
    ? z.output<Schema>
    : never;
};
export type AuditTargetType<Action extends AuditAction> = Actions[Action] extends {
  target: infer Type extends TargetType;
}
  ? Type
  : never;
/** The schema of the metadata in responses. */
export type ShownMetadata<Action extends AuditAction> = Actions[Action] extends {
  shown: infer Shown extends z.ZodObject;
}
  ? Shown
  : Actions[Action] extends { metadata: infer Schema extends z.ZodObject }
    ? Schema
    : never;
/** The actions whose events may have no target. */
export type UntargetedAction = {
  [Action in AuditAction]: Actions[Action] extends { isUntargeted: true } ? Action : never;
}[AuditAction];

/** Returns the audited actions of all features. */
export const auditActions = () =>
  declared<AuditEntry>("audit") as { readonly [Action in AuditAction]: AuditEntry };

/* Schemas of metadata that actions of several features share. */

export const nothing = z.object({});
export const endedApps = z
  .int()
  .optional()
  .openapi({ example: 2 })
  .describe("How many connected apps ended with it, if any.");
export const onlyEndedApps = z.object({ endedApps });
export const via = z.object({
  via: changedVia.describe("Who made the change: `self` is the user, `admin` a platform administrator."),
});
export const provider = z.object({
  provider: textExample("google").describe("The key of the provider, or `password`."),
});
export const named = z.object({
  email: textExample("ada@example.com").describe("The email address that the event is about."),
});
export const roleGrants = z.object({
  roles: z
    .array(textExample("MEMBER"))
    .openapi({ description: "The names of the assigned roles, each once." }),
  assignments: z.array(RoleEntry).describe("The assigned roles with their units."),
});

/** Returns the schema of changed fields, with their old and new values. */
export const changeOf = <Shape extends z.core.$ZodLooseShape>(fields: z.ZodObject<Shape>) =>
  z.object({
    from: fields.partial().describe("The values of the changed fields before the change."),
    to: fields.partial().describe("The values of the changed fields after the change."),
  });
/** Returns the schema of one value before and after a change. */
export const fromTo = <Value extends z.ZodType>(value: Value) =>
  z.object({
    // `.describe` is not used here, because it would also describe the shared component that a value may be.
    from: value.openapi({ description: "The value before the change." }),
    to: value.openapi({ description: "The value after the change." }),
  });
/** Returns the schema of added and removed roles or units. */
export const addedAndRemoved = <Entry extends z.ZodType>(entry: Entry) =>
  z.object({
    added: z.array(entry).describe("The roles or units that were added."),
    removed: z.array(entry).describe("The roles or units that were removed."),
  });
