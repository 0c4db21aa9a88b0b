import type { z } from "zod";
import {
  conflict,
  forbidden,
  lockOrganizationShared,
  organizationIsSuspended,
  permissionNotHeld,
  type SignedInCall,
  type Tx,
  tokenHash,
  transaction,
  unauthenticated,
  unitForbidden,
  validationFailed,
} from "#kit";
import { assertMayAct, clientNotApproved, lockUsers, ssoHoursOf } from "#kit/inside";
import * as queries from "#sql/oauth-authorize";
import { isUnitScoped } from "../../../core/access/catalog.ts";
import { appSecret } from "../../../core/access/token-forms.ts";
import { invalidOrExpiredToken } from "../../../core/accounts/errors.ts";
import { notAMember } from "../../sessions/errors.ts";
import { redirectTo } from "../clients/redirects.ts";
import { tellApproved } from "../grants/tell.ts";
import { daysOf } from "./begin.ts";
import { makeRoom } from "./make-room.ts";
import { approvalOf, holdsOneOf } from "./organizations.ts";
import { readRequestToken, type Shown } from "./request-token.ts";
import type { ApproveBody } from "./schemas.ts";

type Choice = z.output<typeof ApproveBody>;

/**
 * Grants an app the access that a person chose on the page. Returns the redirect with the code. Reads everything under the locks of the
 * organization and the person, so that an event that ends grants comes before or after the approval (rules 46.8).
 * @throws the errors of the route
 */
export async function approve(call: SignedInCall, choice: Choice) {
  const request = await readRequestToken(call, choice.requestToken);
  const { organizationId } = choice;
  const unitId = choice.unitId ?? null;
  const { maxDays, days } = daysOf(call);
  const code = appSecret("c");
  const shown = await transaction(call, async (tx) => {
    const { userId } = tx.actor;
    await lockOrganizationShared(tx, organizationId);
    await lockUsers(tx, [userId]);
    const acr = await assertMayApprove(tx, organizationId);
    const given = validate(request, choice, maxDays);
    const membershipId = await assertIsCovered(tx, organizationId, given);
    await assertMayAct(tx, organizationId);
    if (unitId !== null) await assertUnit(tx, organizationId, unitId);
    await assertHeldThere(tx, { membershipId, unitId }, given.scopes);
    await makeRoom(tx, { organizationId, clientId: given.client.id, resource: given.resource });
    const { client, resource, scopes } = given;
    const [grant] = await queries.insertGrant.run(
      {
        userId,
        organizationId,
        unitId,
        clientId: client.id,
        oauthClientId: client.oauthClientId,
        clientName: client.name,
        clientHost: client.host,
        redirectUri: given.redirectUri,
        resource,
        scopes,
        acr,
        connectionId: await findActingConnection(tx, organizationId),
        requestId: given.requestId,
        days: choice.days ?? days,
        codeHash: tokenHash(code),
        codeChallenge: given.codeChallenge,
      },
      tx.db,
    );
    if (grant === undefined) throw conflict();
    await tellApproved(tx, grant.id);
    return given;
  });
  const { app } = call;
  app.meter.count("oauth_requests_total", { outcome: "approved" });
  return { redirectTo: redirectTo(shown.redirectUri, { code, state: shown.state, iss: app.config.apiUrl }) };
}

/** Checks the person and the session under the person's lock; returns the `acr` of the session. @throws forbidden, unauthenticated */
async function assertMayApprove(tx: Tx<SignedInCall>, organizationId: string): Promise<string> {
  const { userId, sessionId } = tx.actor;
  const ssoHours = ssoHoursOf(tx.app.config);
  const [approver] = await queries.findApprover.run({ userId, sessionId, organizationId, ssoHours }, tx.db);
  if (approver?.isPlatformAdmin) throw forbidden();
  if (!approver?.isSessionLive) throw unauthenticated();
  return approver.acr;
}

/** Returns the connection by whose proof the session acts in the organization (rules 46.50); null if it acts by the account's own. */
async function findActingConnection(tx: Tx<SignedInCall>, organizationId: string): Promise<string | null> {
  const { userId, sessionId } = tx.actor;
  const ssoHours = ssoHoursOf(tx.app.config);
  if (ssoHours === null) return null;
  const [acting] = await queries.findActingConnection.run(
    { userId, sessionId, organizationId, ssoHours },
    tx.db,
  );
  return acting?.id ?? null;
}

/** Returns the request, narrowed to the chosen scopes. @throws invalidOrExpiredToken, validationFailed */
function validate<Request extends Shown>(request: Request | null, choice: Choice, maxDays: number): Request {
  const { scopes, days } = choice;
  if (days !== undefined && days > maxDays)
    throw validationFailed([{ path: "days", message: `days must not be greater than ${maxDays}` }]);
  if (request === null) throw invalidOrExpiredToken();
  const offered = request.scopes;
  const others = scopes.flatMap((scope, index) => (offered.includes(scope) ? [] : [`scopes.${index}`]));
  const rule = `must be one of the following values: ${offered.join(", ")}`;
  if (others.length > 0) throw validationFailed(others.map((path) => ({ path, message: `${path} ${rule}` })));
  return { ...request, scopes: offered.filter((scope) => scopes.includes(scope)) };
}

/** Checks that the organization lets its members connect the app. Returns the id of the caller's membership. */
async function assertIsCovered(tx: Tx<SignedInCall>, organizationId: string, given: Shown): Promise<string> {
  const { oauthClientId: id } = given.client;
  const [organization] = await queries.listOrganizationsForApp.run(
    { organizationId, ...approvalOf(tx, given) },
    tx.db,
  );
  if (organization === undefined) throw notAMember();
  if (id !== null && (await queries.lockRegisteredClient.run({ id }, tx.db)).length === 0)
    throw clientNotApproved();
  if (organization.reason === "suspended") throw organizationIsSuspended();
  if (organization.reason !== null && organization.reason !== "session") throw clientNotApproved();
  return organization.membershipId;
}

/** Checks that the unit to which the app is limited exists. @throws validationFailed */
async function assertUnit(tx: Tx, organizationId: string, id: string): Promise<void> {
  const [unit] = await queries.findUnitForApp.run({ id, organizationId }, tx.db);
  if (unit === undefined)
    throw validationFailed([{ path: "unitId", message: "unitId must be an existing unit" }]);
}

type PlaceOfGrant = { membershipId: string; unitId: string | null };

/** Checks that the person holds something of the scopes in the place of the grant. @throws unitForbidden, permissionNotHeld */
async function assertHeldThere(tx: Tx, place: PlaceOfGrant, scopes: string[]): Promise<void> {
  const rows = await queries.listHeldInPlace.run(place, tx.db);
  const held = new Set(
    rows.flatMap(({ permissions, unitId }) =>
      unitId === null ? permissions : permissions.filter(isUnitScoped),
    ),
  );
  if (place.unitId !== null && held.size === 0) throw unitForbidden();
  if (!scopes.some((scope) => holdsOneOf(scope, held))) throw permissionNotHeld();
}
