import { z } from "@hono/zod-openapi";
import { pathId, textExample, timestamp, uuid } from "../../core/api/fields.ts";
import { idFilter, listQuery, pageOf, search } from "../../core/api/paging.ts";

const NamedRole = z.object({ id: uuid, name: textExample("MEMBER") });
const NamedUnit = z.object({ id: uuid, name: textExample("Sales") });

/** A role of a member: for the whole organization if `unit` is null. */
export const Assignment = z.object({ role: NamedRole, unit: NamedUnit.nullable() }).openapi("Assignment");

export const Member = z
  .object({
    userId: uuid,
    email: textExample("ada@example.com"),
    firstName: textExample("Ada"),
    lastName: textExample("Lovelace"),
    joinedAt: timestamp,
    assignments: z.array(Assignment),
    units: z.array(NamedUnit),
  })
  .openapi("Member");
export const MemberPage = pageOf(Member).openapi("MemberPage");

export const MemberPath = z.strictObject({ userId: pathId("member's account") });
export const MemberQuery = listQuery(
  { sorts: ["lastName", "email", "joinedAt"], defaultOrder: "asc" },
  {
    search,
    unit: idFilter("Members who are linked to these units or their sub-units."),
    member: idFilter("These members."),
  },
);

/** Assignments in a request: at most 50, duplicates count once. */
export const assignmentsInput = z
  .array(z.strictObject({ roleId: uuid, unitId: uuid.nullable().default(null) }))
  .max(50);

export const MemberRolesBody = z
  .strictObject({ assignments: assignmentsInput.optional() })
  .openapi("MemberRolesBody");

const MAX_UNITS = 500;
export const MemberUnitsBody = z
  .strictObject({ unitIds: z.array(uuid).max(MAX_UNITS).optional() })
  .openapi("MemberUnitsBody");

export const RoleOption = z
  .object({
    id: uuid,
    name: textExample("Editor"),
    description: textExample("Keeps the todos tidy"),
    builtIn: z.boolean(),
  })
  .openapi("RoleOption");
export const UnitOption = z
  .object({
    id: uuid,
    name: textExample("Sales"),
    parentId: uuid.nullable(),
    depth: z.int().openapi({ example: 1 }),
  })
  .openapi("UnitOption");
