import { z } from "@hono/zod-openapi";
import { timestamp, uuid } from "../http/fields.ts";
import { idFilter, listQuery, pageOf, search } from "../http/paging.ts";

const Named = z.object({ id: uuid, name: z.string() });

/** A role as it is shown: in the whole organization where `unit` is null. */
export const Assignment = z.object({ role: Named, unit: Named.nullable() }).openapi("Assignment");

export const Member = z
  .object({
    userId: uuid,
    email: z.string(),
    firstName: z.string(),
    lastName: z.string(),
    joinedAt: timestamp,
    assignments: z.array(Assignment),
    units: z.array(Named),
  })
  .openapi("Member");
export const MemberPage = pageOf(Member).openapi("MemberPage");

export const MemberPath = z.strictObject({ userId: uuid });
export const MemberQuery = listQuery(
  { sorts: ["lastName", "email", "joinedAt"], usualOrder: "asc" },
  { search, unit: idFilter, member: idFilter },
);

/** Roles as they are given: at most 50, the same one twice is one. */
export const givenAssignments = z
  .array(z.strictObject({ roleId: uuid, unitId: uuid.nullable().default(null) }))
  .max(50);

export const MemberRolesBody = z
  .strictObject({ assignments: givenAssignments.optional() })
  .openapi("MemberRolesBody");

const MOST_UNITS = 500;
export const MemberUnitsBody = z
  .strictObject({ unitIds: z.array(uuid).max(MOST_UNITS).optional() })
  .openapi("MemberUnitsBody");

export const RoleOption = z
  .object({ id: uuid, name: z.string(), description: z.string(), builtIn: z.boolean() })
  .openapi("RoleOption");
export const UnitOption = z
  .object({ id: uuid, name: z.string(), parentId: uuid.nullable(), depth: z.int() })
  .openapi("UnitOption");
