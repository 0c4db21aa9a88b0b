import { declared, jsonBody, type PersonalFile, Router, raw, route } from "#kit";
import { theProduct } from "#kit/inside";
import { reauthenticationRequired } from "../../core/access/errors.ts";
import { CONFIRMATION_LIMIT_DESCRIPTION } from "../../core/accounts/attempts.ts";
import { invalidPasskey, wrongCode, wrongPassword } from "../../core/accounts/errors.ts";
import { RECENT_PROOF_DESCRIPTION } from "../../core/accounts/reauthenticate.ts";
import { exportPersonalData } from "./export.ts";
import { ExportProfileBody } from "./schemas.ts";

const ARCHIVE = { schema: { type: "string", format: "binary" }, example: "The bytes of the archive" };

/** The contents of the files that features declare, and of the one about the product if there is one. */
const texts = () =>
  Object.values(declared<PersonalFile>("personalData"))
    .flatMap(({ text }) => text ?? [])
    .concat(theProduct() === null ? [] : ["the product with its address"])
    .join(", ");

const exportProfileRoute = route({
  operationId: "exportProfile",
  method: "post",
  path: "/api/profile/export",
  summary: "Export your data",
  description: () =>
    `A ZIP archive with a JSON file for each kind of record: profile, sessions, identities, ${texts()}. It contains no password, token, key or internal note. Password and code (of the authenticator app, or a recovery code) are required if the account has them. ${RECENT_PROOF_DESCRIPTION} At most two exports of an account run at once. ${CONFIRMATION_LIMIT_DESCRIPTION}`,
  access: "signed-in",
  request: { body: jsonBody(ExportProfileBody, { password: "wide blue yonder" }) },
  responses: { 200: raw({ "application/zip": ARCHIVE }, "The archive, streamed") },
  errors: [wrongPassword, wrongCode, invalidPasskey, reauthenticationRequired],
  reads: "own-export",
});

export const personalDataRoutes = new Router("profile").openapi(exportProfileRoute, (c) =>
  exportPersonalData(c.var.call, c.req.valid("json")),
);
