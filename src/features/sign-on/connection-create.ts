import type { z } from "zod";
import {
  audit,
  authorize,
  exactlyOne,
  type OrganizationCall,
  sizeLimitReached,
  type Tx,
  transaction,
  validationFailed,
} from "#kit";
import { type LastStep, withoutUndefined } from "#kit/inside";
import * as queries from "#sql/sso-connections";
import { rolesAndUnits } from "../../core/accounts/memberships.ts";
import { resolveAssignments } from "../members/assignments.ts";
import { assertGivenOrDefault } from "../members/given.ts";
import type { ClaimNames } from "./answer.ts";
import type { CreateConnectionBody } from "./connection-bodies.ts";
import { showConnection } from "./connection-read.ts";
import { issuerProblem } from "./issuer.ts";
import { issuerRefusal } from "./provider.ts";
import { connectionCipher } from "./secrets.ts";

const MAX_CONNECTIONS = 5;
const SCOPES = "openid email profile";
const CLAIMS: ClaimNames = {
  subject: "sub",
  email: "email",
  firstName: "given_name",
  lastName: "family_name",
  groups: "groups",
};

/**
 * Asks a new issuer for its metadata, before the transaction that stores it. Authorizes the caller first: a held token must not make
 * the service send requests.
 * @throws validationFailed if it is none, cannot be reached, or names another issuer; what `authorize` throws
 */
export async function assertIssuer(call: OrganizationCall, issuer: string): Promise<void> {
  const { app, db, organizationId } = call;
  await transaction(call, (tx) => authorize(tx, "SingleSignOn.Update"));
  const problem =
    issuerProblem(issuer, app.config) ??
    (await db.excludeFromDeadline(() => issuerRefusal(app, organizationId, issuer)));
  if (problem !== null) throw validationFailed([{ path: "oidc.issuer", message: `oidc.issuer ${problem}` }]);
}

/**
 * Creates a connection as a draft. Who lets people become members by it gives them the roles, so the caller must hold their
 * permissions.
 * @throws validationFailed, permissionNotHeld, sizeLimitReached
 */
export async function createConnection<C extends OrganizationCall>(
  call: C,
  body: z.output<typeof CreateConnectionBody>,
  last: LastStep<C>,
) {
  await assertIssuer(call, body.oidc.issuer);
  return last((tx) => insertConnection(tx, body));
}

export async function insertConnection(
  tx: Tx<OrganizationCall>,
  body: z.output<typeof CreateConnectionBody>,
) {
  const { app, organizationId, actor } = tx;
  const {
    name,
    oidc,
    claims = {},
    provisioning = "none",
    secondFactor = "own",
    defaultAssignments = [],
  } = body;
  const permissions = await authorize(tx, "SingleSignOn.Update");
  const wanted = await resolveAssignments(tx.db, organizationId, defaultAssignments, "defaultAssignments");
  if (wanted.length > 0 || provisioning === "jit") await assertGivenOrDefault(tx, permissions, wanted);
  const { count } = exactlyOne(await queries.countLiveConnections.run({ organizationId }, tx.db));
  if (count >= MAX_CONNECTIONS)
    throw sizeLimitReached("An organization has at most 5 connections", MAX_CONNECTIONS);
  const { issuer, clientId, clientSecret = null, scopes = SCOPES, clientSecretExpiresAt = null } = oidc;
  const { id } = exactlyOne(
    await queries.insertConnection.run(
      {
        organizationId,
        name,
        issuer,
        clientId,
        clientSecret: clientSecret === null ? null : connectionCipher(app).encrypt(clientSecret),
        scopes,
        clientSecretExpiresAt,
        claims: { ...CLAIMS, ...withoutUndefined(claims) },
        provisioning,
        secondFactor,
        createdById: actor.type === "user" ? actor.userId : null,
      },
      tx.db,
    ),
  );
  if (wanted.length > 0)
    await queries.replaceConnectionAssignments.run(
      { connectionId: id, organizationId, ...rolesAndUnits(wanted) },
      tx.db,
    );
  await audit(tx, "CONNECTION_CREATED", {
    organizationId,
    target: { type: "connection", id },
    metadata: { name, issuer },
  });
  return showConnection(tx, id);
}
