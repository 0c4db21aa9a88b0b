import { type CallerName, ORGANIZATIONS, type OrganizationName, VISIBLE_ORGANIZATIONS } from "./callers.ts";
import { claimsOf } from "./claims.ts";
import type { Fixture } from "./fixture.ts";
import { byId, operationSet } from "./operations.ts";
import { MARKER } from "./organization.ts";
import type { RequestPlan } from "./requests.ts";

/**
 * Operations whose response names the organization `own` to any caller, because they need only a mailed token or a
 * challenge.
 */
const SHOW_OWN_ORGANIZATION = operationSet("previewInvitation", "verifyTwoFactor");

/** Names an app to whoever knows its client id, also one of another organization, which is not allowed there (rules 46). */
const [BEGIN = ""] = operationSet("beginAuthorization");

/** Names the connection by which people of a domain sign in, to anybody who has an address of it (rules 44.7). */
const [DISCOVER = ""] = operationSet("discoverConnection");

/** Routes on which staff read notes. On other routes staff read their own tickets, without notes. */
const STAFF_ROUTES = /\/helpdesk\//;

/** Returns the organizations whose data a response may contain. */
export const visibleOrganizations = (
  { operation, caller }: RequestPlan,
  fixture: Fixture,
): readonly OrganizationName[] =>
  operation === DISCOVER || operation === BEGIN
    ? ORGANIZATIONS
    : SHOW_OWN_ORGANIZATION.has(operation)
      ? [...visibleTo(caller, fixture), "own"]
      : visibleTo(caller, fixture);

/** Returns the organizations whose data a caller may see: in a confined session only that of the proof (rules 38). */
export const visibleTo = (caller: CallerName, { isConfined }: Fixture): readonly OrganizationName[] =>
  caller === "confined" && isConfined ? ["own"] : VISIBLE_ORGANIZATIONS[caller];

/** Whether the caller's token is a platform administrator's, who sees every organization. */
export function actsAsPlatformAdmin({ caller }: RequestPlan, { callers }: Fixture): boolean {
  const token = callers[caller].accessToken;
  return token !== null && claimsOf(token).isPlatformAdmin;
}

/**
 * Finds the first marker in a response that the caller may not read. Returns what it marks: another organization, a
 * note of staff, or a deleted record.
 */
export function findForbiddenMarker(plan: RequestPlan, fixture: Fixture, text: string): string | null {
  const isPlatformAdmin = actsAsPlatformAdmin(plan, fixture);
  const isStaffRoute = STAFF_ROUTES.test(byId.get(plan.operation)?.path ?? "");
  const all = Object.values(fixture.organizations);
  const visible = isPlatformAdmin
    ? all
    : visibleOrganizations(plan, fixture).map((name) => fixture.organizations[name]);
  const readable = new Set([
    ...visible.map(({ marker }) => marker),
    ...(isStaffRoute ? visible.map(({ restrictedMarkers }) => restrictedMarkers.notes) : []),
    ...(isStaffRoute && isPlatformAdmin
      ? all.map(({ restrictedMarkers }) => restrictedMarkers.platformNotes)
      : []),
  ]);
  const descriptions = new Map(
    all.flatMap(({ restrictedMarkers }) => [
      [restrictedMarkers.notes, "a note of staff"] as const,
      [restrictedMarkers.platformNotes, "a note of platform staff"] as const,
      [restrictedMarkers.deleted, "in a deleted record"] as const,
    ]),
  );
  for (const [marker] of text.matchAll(MARKER)) {
    if (readable.has(marker)) continue;
    const description = descriptions.get(marker);
    if (description !== undefined) return `${marker}, which is ${description}`;
    // A platform administrator also sees the organizations of earlier cases. Their markers are unknown here.
    if (!isPlatformAdmin) return `${marker}, which is of another organization`;
  }
  return null;
}
