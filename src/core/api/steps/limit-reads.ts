import { readLimiterOf } from "../read-limiter.ts";
import { readLimitOf } from "../route.ts";
import type { Incoming, StepOf } from "./incoming.ts";

/** Limits how many small reads of one account run at once (23.12). Lists and exports have limits of their own. */
export const limitSmallReads: StepOf = (definition) =>
  definition.method !== "get" || definition.access === "public" || readLimitOf(definition) !== null
    ? null
    : async (incoming) => {
        const { app, actor, request, context } = incoming;
        if (actor === null) return;
        incoming.atEnd(await readLimiterOf(app).read(actor, { request, maxWaitMs: context.db.maxWaitMs }));
      };

type Work = (incoming: Incoming) => Promise<Response>;

/** Wraps the handler of a list or an export, of which only a few run at once for an account and an organization. */
export function limitedReads(kind: ReturnType<typeof readLimitOf>, work: Work): Work {
  if (kind === null) return work;
  return async (incoming) => {
    const { app, access, request, db } = incoming;
    if (access === null) return work(incoming);
    db.readAsList();
    const limiter = readLimiterOf(app);
    const run = () => work(incoming);
    return kind === "list" || kind === "overview"
      ? limiter.list(access.actor, kind, { request, maxWaitMs: db.maxWaitMs }, run)
      : limiter.export(access.actor, kind, run);
  };
}
