import { tooManyRequests } from "../../../platform/errors.ts";
import { Permits, type Release } from "../../../platform/limits/permits.ts";
import { type Actor, accountOf, personOf } from "../../access/access.ts";
import { LIMITS } from "../../definitions/limits.ts";
import { memoizePerApp } from "../../memoize-per-app.ts";
import { type RouteDefinition, readLimitOf } from "../route.ts";
import type { CallerAccess, Incoming, StepOf } from "./incoming.ts";

const writesOf = memoizePerApp(() => new Permits(LIMITS.writes.levels));
const readsOf = memoizePerApp(() => new Permits(LIMITS.reads.levels));
const listsOf = memoizePerApp(() => new Permits(LIMITS.lists.levels));
const refuseExport = () => tooManyRequests(1);
const exportsOf = memoizePerApp(
  () =>
    new Permits(LIMITS.exports.levels, {
      person: refuseExport,
      organization: refuseExport,
      account: refuseExport,
    }),
);

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

/**
 * The number of characters from which a list counts as large: building its response uses the processor for
 * milliseconds.
 */
const LARGE_CHARACTERS = 250_000;
const PAUSE_MS_PER_CHARACTER = 0.0002;

/** Limits how many small reads of one account run at once (23.9). Lists and exports have limits of their own. */
export const limitSmallReads: StepOf = (definition) =>
  definition.method !== "get" || definition.access === "public" || readLimitOf(definition) !== null
    ? null
    : async (incoming) => {
        const { app, actor, request, context } = incoming;
        if (actor === null) return;
        const deadlineAt = performance.now() + context.db.maxWaitMs;
        incoming.atEnd(await readsOf(app).acquire({ account: accountOf(actor) }, { request, deadlineAt }));
      };

type Work = (incoming: Incoming) => Promise<Response>;

/** Wraps the handler of a list or an export, of which only a few run at once for an account and an organization. */
export function limitedReads(kind: ReturnType<typeof readLimitOf>, work: Work): Work {
  if (kind === null || kind === "wait") return work;
  return async (incoming) => {
    const { access, db } = incoming;
    if (access === null) return work(incoming);
    db.readAsList();
    return kind === "list" || kind === "overview"
      ? limitedList(access.actor, kind, incoming, work)
      : limitedExport(access.actor, kind, incoming, work);
  };
}

/**
 * Runs the queries of a list as soon as the limits allow. The permit is held until the queries have ended, even if the
 * client has disconnected, because they use a connection until then. After a large response, the permit is held for
 * 0.2 ms per 1,000 characters longer, so that one account cannot occupy the processor with large responses. Lists by API
 * key also count for the creator of the key, and the persons of an organization take turns. Lists of a platform
 * administrator count only for the account.
 */
async function limitedList(
  actor: Actor,
  kind: "list" | "overview",
  incoming: Incoming,
  work: Work,
): Promise<Response> {
  const { app, db, request } = incoming;
  const person = personOf(actor);
  const keys = {
    person,
    account: accountOf(actor),
    overviews: kind === "overview" ? person : undefined,
    organization: actor.claims.organization?.id,
  };
  const deadlineAt = performance.now() + db.maxWaitMs;
  const release = await listsOf(app).acquire(keys, { request, deadlineAt });
  let pauseMs = 0;
  try {
    const response = await work(incoming);
    const text = await response.text();
    if (text.length > LARGE_CHARACTERS) pauseMs = text.length * PAUSE_MS_PER_CHARACTER;
    return new Response(text, response);
  } finally {
    if (pauseMs === 0 || !app.timersOutliveRequests) release();
    else setTimeout(release, pauseMs);
  }
}

/**
 * Starts an export at once, or rejects it. The permit is held until the response has been read to its end, or the
 * client disconnects. An export of the caller's own data does not count for the organization. A person with their API
 * keys has one of the places of the organization, so that a slow reader leaves one for others.
 */
async function limitedExport(
  actor: Actor,
  kind: "export" | "own-export",
  incoming: Incoming,
  work: Work,
): Promise<Response> {
  const organization = kind === "own-export" ? undefined : actor.claims.organization?.id;
  const keys =
    organization === undefined ? { account: accountOf(actor) } : { person: personOf(actor), organization };
  const release = exportsOf(incoming.app).take(keys);
  try {
    return releaseAtEnd(await work(incoming), release);
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * The maximum duration of an export. A slower export is aborted, so that it does not keep its permit, and does not
 * continue long after permissions were revoked.
 */
const MAX_EXPORT_MS = 600_000;

/**
 * Wraps a response so that it releases the permit when its body ends: if it was read to its end, failed, was
 * cancelled by the client, or was aborted after `maxMs`.
 */
export function releaseAtEnd(response: Response, release: Release, maxMs = MAX_EXPORT_MS): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    release();
    return response;
  }
  let timer: Timer | undefined;
  const end = () => {
    clearTimeout(timer);
    release();
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setTimeout(() => {
        end();
        controller.error(new Error("The export took too long"));
        reader.cancel().catch(() => {});
      }, maxMs);
    },
    async pull(controller) {
      const { done, value } = await reader.read().catch((error) => {
        end();
        throw error;
      });
      if (!done) return controller.enqueue(value);
      end();
      controller.close();
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
