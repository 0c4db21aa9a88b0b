import { z } from "@hono/zod-openapi";
import {
  filter,
  idFilter,
  listQuery,
  pageOf,
  pathId,
  peopleSearch,
  textExample,
  timestamp,
  uuid,
} from "#kit";
import { EXAMPLES } from "#kit/inside";

const NamedRole = z.object({
  id: uuid.describe("The id of the role."),
  name: textExample("MEMBER").describe("The name of the role."),
});
const NamedUnit = z.object({
  id: uuid.describe("The id of the unit."),
  name: textExample("Sales").describe("The name of the unit."),
});

/** A role of a member. If `unit` is null, the member has the role for the whole organization. */
export const Assignment = z
  .object({
    role: NamedRole.describe("The assigned role."),
    unit: NamedUnit.nullable().describe(
      "The unit in which the role is assigned; it also covers all sub-units. Null for the whole organization.",
    ),
    source: z
      .enum(["manual", "sso"])
      .openapi({ example: "manual" })
      .describe(
        "`sso` if a group of the organization's sign-in gives the role, otherwise `manual`. Both may give the same role.",
      ),
  })
  .openapi("Assignment");

export const Member = z
  .object({
    userId: uuid.describe("The id of the member's account."),
    email: textExample("ada@example.com").describe("The email of the account."),
    firstName: textExample("Ada").describe("The first name of the account."),
    lastName: textExample("Lovelace").describe("The last name of the account."),
    joinedAt: timestamp.describe("When the member joined; after a return, the latest time."),
    assignments: z.array(Assignment).describe("The roles of the member within the caller's reach."),
    units: z.array(NamedUnit).describe("The units of the member within the caller's reach."),
    twoFactorEnabled: z
      .boolean()
      .nullable()
      .describe("Whether the account has a second factor; null unless `Members.Delete` covers the member."),
    lastActiveOn: z.iso
      .date()
      .nullable()
      .openapi({ example: "2026-01-31" })
      .describe(
        "The last UTC day, within 90 days, on which the member had a session in the organization; null if there is none, or if `Members.Delete` does not cover the member.",
      ),
  })
  .openapi("Member");
export const MemberPage = pageOf(Member).openapi("MemberPage");

export const MemberPath = z.strictObject({ userId: pathId("member's account") });
export const MemberQuery = listQuery(
  { sorts: ["lastName", "email", "joinedAt"], defaultOrder: "asc" },
  {
    search: peopleSearch,
    unit: idFilter("Only members of these units and their sub-units."),
    member: idFilter("Return only members whose account has one of these ids."),
    twoFactor: filter(
      z.enum(["on", "off"]),
      "Only members with or without a second factor; needs `Members.Delete` for the whole organization.",
    ),
  },
);

/** The role assignments in a request: at most 50. Duplicates count once. */
export const assignmentsInput = z
  .array(
    z.strictObject({
      roleId: uuid.describe("A role of the organization, or a built-in one."),
      unitId: uuid
        .nullable()
        .default(null)
        .describe("The unit in which to assign the role; null for the whole organization."),
    }),
  )
  .max(50);

export const MemberRolesBody = z
  .strictObject({
    assignments: assignmentsInput
      .optional()
      .describe(
        "The new roles of the member, which replace all roles with the source `manual` within the caller's reach; at most 50, duplicates count once.",
      ),
  })
  .openapi("MemberRolesBody");

const MAX_UNITS = 2_000;
export const MemberUnitsBody = z
  .strictObject({
    unitIds: z
      .array(uuid)
      .max(MAX_UNITS)
      .optional()
      .describe("The new units of the member, which replace all units within the caller's reach."),
  })
  .openapi("MemberUnitsBody");

export const RoleOption = z
  .object({
    id: uuid.describe("The id of the role."),
    name: textExample("Editor").describe("The name of the role."),
    description: textExample(EXAMPLES.roleDescription).describe("The purpose of the role."),
    builtIn: z.boolean().describe("Whether the role is built in. Built-in roles cannot be changed."),
  })
  .openapi("RoleOption");
export const UnitOption = z
  .object({
    id: uuid.describe("The id of the unit."),
    name: textExample("Sales").describe("The name of the unit."),
    parentId: uuid.nullable().describe("The parent unit; null at the top of the tree."),
    depth: z
      .int()
      .openapi({ example: 1 })
      .describe("The number of ancestors of the unit; 0 at the top of the tree."),
  })
  .openapi("UnitOption");
