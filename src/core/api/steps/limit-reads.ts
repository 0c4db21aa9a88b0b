import { timersOutliveRequests } from "../../../platform/db/deadlines.ts";
import { tooManyRequests } from "../../../platform/errors.ts";
import { releaseAtEnd } from "../../../platform/http/release-at-end.ts";
import { Permits } from "../../../platform/limits/permits.ts";
import { type Actor, accountOf, personOf } from "../../access/access.ts";
import { LIMITS } from "../../definitions/limits.ts";
import { memoizePerApp } from "../../memoize-per-app.ts";
import { readLimitOf } from "../route.ts";
import type { Incoming, StepOf } from "./incoming.ts";

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
    if (pauseMs === 0 || !timersOutliveRequests()) release();
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
