import { z } from "@hono/zod-openapi";
import { pageOf, pathId, textExample, timestamp, unpagedListQuery, uuid } from "#kit";
import { Assignment, assignmentsInput } from "../members/schemas.ts";

const join = z.enum(["off", "request", "automatic"]);
/** The maximum number of roles of people who join by a domain. */
const MAX_JOIN_ASSIGNMENTS = 20;

export const Domain = z
  .object({
    id: uuid.describe("The id of the domain."),
    domain: textExample("acme.com").describe("The name of the domain, in A-labels and lower case."),
    status: z
      .enum(["PENDING", "VERIFIED", "LAPSED"])
      .describe("`LAPSED`: it was verified, but its record has been absent for two weeks."),
    record: z
      .object({
        name: textExample("_mos-verify.acme.com").describe("The name of the record."),
        type: z.literal("TXT").describe("The type of the record."),
        value: textExample("mos-verify=Zk3vT0c7Q1mJ8sYb2nHdLx5uWgRfPaEiKoDt6CqVwXy").describe(
          "The value of the record. It never changes.",
        ),
      })
      .describe("The record that proves the domain. It must stay in DNS."),
    connectionId: uuid.nullable().describe("The connection by which people of the domain sign in."),
    join: join
      .nullable()
      .describe(
        "Whether people with an address of the domain may join: not at all, by a request, or at once. Null for a setup link.",
      ),
    joinAssignments: z
      .array(Assignment)
      .nullable()
      .describe("The roles of people who join; none stands for the default role. Null for a setup link."),
    verifiedAt: timestamp.nullable().describe("When the domain was last verified."),
    checkedAt: timestamp.nullable().describe("When DNS last said that the record is present, or absent."),
    missingSince: timestamp
      .nullable()
      .describe("Since when the record of a verified domain is absent. The domain lapses after 14 days."),
    createdAt: timestamp.describe("When the domain was added."),
  })
  .openapi("Domain");
export const DomainPage = pageOf(Domain).openapi("DomainPage");
export const DomainPath = z.strictObject({ id: pathId("domain") });
export const DomainQuery = unpagedListQuery({});

export const CreateDomainBody = z
  .strictObject({
    domain: z
      .string()
      .openapi({ example: "acme.com" })
      .describe(
        "A domain that the organization can prove. No public suffix and no domain of a public mail service.",
      ),
  })
  .openapi("CreateDomainBody");

export const UpdateDomainBody = z
  .strictObject({
    connectionId: uuid
      .nullable()
      .optional()
      .describe("The connection by which people of the domain sign in."),
    join: join.optional().describe("Whether people of the domain may join. Needs a verified domain."),
    joinAssignments: assignmentsInput
      .max(MAX_JOIN_ASSIGNMENTS)
      .optional()
      .describe(
        "The roles of people who join, at most 20; `[]` stands for the default role. The caller must hold their permissions. Roles that manage people, keys or the organization are refused.",
      ),
  })
  .openapi("UpdateDomainBody");
