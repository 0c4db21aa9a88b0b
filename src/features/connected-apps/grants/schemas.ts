import { z } from "@hono/zod-openapi";
import {
  filter,
  idFilter,
  listQuery,
  pageOf,
  pathId,
  peopleSearch,
  singleLine,
  textExample,
  timestamp,
  uuid,
} from "#kit";
import { EXAMPLES } from "#kit/inside";
import { AccessTokenClaims } from "../../../core/access/claims.ts";
import { Client, ConnectedApp, ConnectedAppOfMember } from "../schemas.ts";

export const ConnectedAppPath = z.strictObject({ id: pathId("connected app") });
export const OwnConnectedApps = z.array(ConnectedApp);
export const ConnectedAppPage = pageOf(ConnectedAppOfMember).openapi("ConnectedAppPage");
export const ConnectedAppQuery = listQuery(
  { sorts: ["createdAt", "lastUsedAt", "expiresAt"], defaultOrder: "desc" },
  {
    search: peopleSearch,
    client: filter(singleLine({ min: 1, max: 2_048 }), "Only apps with this client id."),
    userId: idFilter("Only apps of these members."),
  },
);

const { organization, permissions, unitGrants } = AccessTokenClaims.shape;

/** The grant of the app that calls. */
export const OwnGrant = z
  .object({
    client: Client.openapi({ description: "The app that calls." }),
    user: z
      .object({
        id: uuid.describe("The account."),
        firstName: textExample("Ada").describe("The first name."),
        lastName: textExample("Lovelace").describe("The last name."),
      })
      .describe("The person for whom the app acts."),
    organization: organization.unwrap().openapi({ description: "The organization in which the app acts." }),
    unit: ConnectedApp.shape.unit,
    scopes: z.array(textExample(EXAMPLES.scope)).describe("What the token allows, within what was granted."),
    permissions,
    unitGrants,
    expiresAt: timestamp.describe(
      "When the app's access ends: after the chosen days, or 30 days after its last use.",
    ),
  })
  .openapi("OwnConnectedApp");
