import { z } from "@hono/zod-openapi";
import {
  email,
  idFilter,
  language,
  listQuery,
  pageOf,
  pathId,
  search,
  singleLine,
  textExample,
  timestamp,
  uuid,
} from "#kit";
import { organizationStatus as status } from "#kit/inside";
import { APP_POLICIES } from "../../core/access/app-operator.ts";
import { BLOCK_CODES } from "../../core/access/sign-on-errors.ts";
import { PlanOfRow } from "../../core/plans/schemas.ts";

const connectedApps = z.enum(APP_POLICIES);

export const Organization = z
  .object({
    id: uuid.describe("The id of the organization."),
    name: textExample("Acme").describe("The name of the organization."),
    slug: textExample("acme").describe("The short name, unique among all organizations."),
    status,
    defaultRoleId: uuid.nullable().openapi({
      description:
        "The id of the role for users who accept an invitation whose roles no longer exist; null for the platform's default role.",
    }),
    connectedApps: connectedApps.describe(
      "Which apps members may connect: none, those that are approved, or every app. `off` if nobody may connect apps.",
    ),
    createdAt: timestamp.describe("When the organization was created."),
  })
  .openapi("Organization");

export const PlatformOrganization = Organization.extend({
  plan: PlanOfRow.describe("The plan in effect; null if plans are not in use."),
  memberCount: z.int().openapi({ example: 12 }).describe("The number of members."),
}).openapi("PlatformOrganization");
export const PlatformOrganizationPage = pageOf(PlatformOrganization).openapi("PlatformOrganizationPage");

export const OwnOrganization = z
  .object({
    id: uuid.describe("The id of the organization."),
    name: textExample("Acme").describe("The name of the organization."),
    slug: textExample("acme").describe("The short name, unique among all organizations."),
    status,
    roles: z.array(textExample("ORG_ADMIN")).describe("The names of the caller's roles there, each once."),
    current: z
      .boolean()
      .openapi({ description: "Whether this is the active organization of the access token." }),
    features: z
      .array(textExample("inspectionReports"))
      .describe(
        "The features of the product's manifest that the plan includes; all without plans, none without a product.",
      ),
    blockedBy: z
      .enum(BLOCK_CODES)
      .nullable()
      .describe(
        "What this session lacks to act in the organization: a sign-in through the organization, a second factor, or a proof of identity; null if nothing.",
      ),
    connectionId: uuid
      .nullable()
      .describe("With `SSO_REQUIRED`, the connection to sign in by; otherwise, and if there is none, null."),
  })
  .openapi("OwnOrganization");

export const organizationName = singleLine({ min: 1, max: 100 });
const slug = z
  .string()
  .min(2)
  .max(63)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  .openapi({ example: "acme" });

export const CreateOwnOrganizationBody = z
  .strictObject({ name: organizationName.describe("The name of the organization.") })
  .openapi("FoundOrganizationBody");
export const UpdateOrganizationBody = z
  .strictObject({
    name: organizationName.optional().describe("The new name."),
    slug: slug.optional().describe("The new short name, unique among all organizations."),
    defaultRoleId: uuid
      .nullable()
      .optional()
      .describe(
        "The id of the role for users who accept an invitation whose roles no longer exist; null for the platform's default role.",
      ),
    connectedApps: connectedApps
      .nullable()
      .optional()
      .describe("Which apps members may connect; null for what the operator configured."),
  })
  .openapi("UpdateOrganizationBody");
export const CreateOrganizationBody = z
  .strictObject({
    name: organizationName.describe("The name of the organization."),
    slug: slug.optional().describe("The short name; derived from the name if omitted."),
    ownerEmail: email.describe("The email address that is invited as the first member."),
    ownerRoleIds: z
      .array(uuid)
      .min(1)
      .max(50)
      .optional()
      .describe("The roles of the invitation; `ORG_ADMIN` if omitted."),
    language: language.optional(),
  })
  .openapi("CreateOrganizationBody");
export const PlatformUpdateBody = UpdateOrganizationBody.pick({ name: true, slug: true }).openapi(
  "PlatformUpdateOrganizationBody",
);
export const StatusBody = z.strictObject({ status: status.optional() }).openapi("OrganizationStatusBody");
export const OrganizationPath = z.strictObject({ id: pathId("organization") });
export const OrganizationQuery = listQuery(
  { sorts: ["createdAt", "name"], defaultOrder: "desc" },
  { search, organization: idFilter("Return only organizations with these ids.") },
);

const plan = PlanOfRow.unwrap().shape;
/** The plan of an organization in an event, with null in both fields if billing is off. */
export const PlanOfEvent = z.object({ key: plan.key.nullable(), source: plan.source.nullable() });
