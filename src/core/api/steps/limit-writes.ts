import { tooManyRequests } from "../../../platform/errors.ts";
import { Permits } from "../../../platform/limits/permits.ts";
import { personOf } from "../../access/access.ts";
import { LIMITS } from "../../definitions/limits.ts";
import { memoizePerApp } from "../../memoize-per-app.ts";
import type { CallerAccess } from "../admit.ts";
import type { RouteDefinition } from "../route.ts";
import type { StepOf } from "./incoming.ts";

const writesOf = memoizePerApp(() => new Permits(LIMITS.writes.levels));

/**
 * Returns the keys under which a caller's writes on a route count. A platform administrator's write counts for the
 * organization in the request. Writes by API key count for its creator. Switching the organization counts only for
 * the person, so that colleagues' writes do not delay it.
 */
function keysOf(
  { connections }: Pick<RouteDefinition, "connections">,
  { actor, organizationId, organizations }: CallerAccess,
) {
  if (actor.type === "product") return { product: actor.id };
  const person = personOf(actor);
  if (connections === "sign-in") return { person };
  const named = organizationId ?? (organizations?.length === 1 ? organizations[0] : undefined);
  return { person, organization: named ?? actor.claims.organization?.id };
}

/** Rejects a write if too many of the caller wait, before its body is read, so that rejecting costs little (23.13). */
export const limitWaitingWrites: StepOf = (definition) =>
  definition.method === "get" || definition.access === "public"
    ? null
    : ({ app, actor }) => {
        if (actor !== null && !writesOf(app).hasRoom(keysOf(definition, { actor })))
          throw tooManyRequests(1, { delayed: true });
      };

/** Makes each transaction of the request wait for a permit before it takes a connection (23.13). */
export const limitWrites: StepOf = (definition) =>
  definition.access === "public"
    ? null
    : ({ app, access, db, request }) => {
        if (access === null) return;
        const keys = keysOf(definition, access);
        db.limitWrites(({ deadlineAt, isContinued }) =>
          writesOf(app).acquire(keys, { request, deadlineAt, alwaysWaits: isContinued }),
        );
      };
