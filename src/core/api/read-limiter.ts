import { KeyedSemaphore, type Release } from "../../platform/concurrency.ts";
import { type ConcurrencyLimit, ConcurrencyLimiter } from "../../platform/concurrency-limiter.ts";
import { timersOutliveRequests } from "../../platform/db/deadlines.ts";
import { tooManyRequests } from "../../platform/errors.ts";
import { type Actor, personOf } from "../access/access.ts";
import { memoizePerApp } from "../memoize-per-app.ts";

const LISTS_PER_PERSON = { max: 2, maxWaiting: 64 };
const LISTS_PER_ACCOUNT = { max: 2, maxWaiting: 16 };
/** An overview reads as much as some twenty lists. */
const OVERVIEWS_PER_PERSON = { max: 1, maxWaiting: 16 };
const LISTS_PER_ORGANIZATION = { max: 3, maxWaiting: Infinity };
const MAX_EXPORTS_PER_ORGANIZATION = 2;
const MAX_OWN_EXPORTS_PER_ACCOUNT = 2;
/**
 * The limit for reads that are neither list nor export. These reads are fast; the limit prevents one account from
 * filling the queues that it shares with others.
 */
const MAX_READS_PER_ACCOUNT = 4;
/**
 * The maximum duration of an export. A slower export is aborted, so that it does not keep its permit, and does not
 * continue long after permissions were revoked.
 */
const MAX_EXPORT_MS = 600_000;
const RETRY_AFTER_SECONDS = 1;
/**
 * The number of characters from which a list counts as large: building its response uses the processor for
 * milliseconds.
 */
const LARGE_CHARACTERS = 250_000;
const PAUSE_MS_PER_CHARACTER = 0.0002;

type Waiting = { request: Pick<Request, "signal">; maxWaitMs: number };

/**
 * Limits how many reads, lists and exports of one account, or of one organization, run at once. So connections and
 * processor time remain for others. Lists by API key also count for the creator of the key, and the persons of an
 * organization take turns. Reads of a platform administrator count only for the account. Each instance counts
 * separately.
 */
class ReadLimiter {
  private readonly reads = new ConcurrencyLimiter();
  private readonly lists = new ConcurrencyLimiter();
  private readonly exports = new KeyedSemaphore();

  /**
   * Acquires a permit for a read that is neither list nor export. Returns the function that releases the permit.
   * @throws serviceUnavailable after 8 s
   */
  read({ id }: Actor, { request, maxWaitMs }: Waiting): Release | Promise<Release> {
    return this.reads.acquire([{ key: id, max: MAX_READS_PER_ACCOUNT, maxWaiting: Infinity }], {
      request,
      deadlineAt: performance.now() + maxWaitMs,
    });
  }

  /**
   * Runs the queries of a list as soon as the limits allow. The permit is held until the queries have ended, even if
   * the client has disconnected, because they use a connection until then. After a large response, the permit is held
   * for 0.2 ms per 1,000 characters longer, so that one account cannot occupy the processor with large responses.
   * @param request its signal is aborted when the client disconnects; the request then leaves the queue
   * @throws tooManyRequests if 16 requests of the account, or 64 of the person, are already waiting; serviceUnavailable after 8 s; every
   * error of `work`
   */
  async list(
    actor: Actor,
    kind: "list" | "overview",
    { request, maxWaitMs }: Waiting,
    work: () => Promise<Response>,
  ): Promise<Response> {
    const person = personOf(actor);
    const limits: ConcurrencyLimit[] = [
      { key: `person ${person}`, ...LISTS_PER_PERSON },
      { key: actor.id, ...LISTS_PER_ACCOUNT },
    ];
    if (kind === "overview") limits.push({ key: `overviews ${person}`, ...OVERVIEWS_PER_PERSON });
    if (actor.claims.organization)
      limits.push({ key: actor.claims.organization.id, ...LISTS_PER_ORGANIZATION });
    const release = await this.lists.acquire(limits, {
      request,
      deadlineAt: performance.now() + maxWaitMs,
    });
    let pauseMs = 0;
    try {
      const response = await work();
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
   * client disconnects. An export of the caller's own data does not count for the organization.
   * @throws tooManyRequests if two exports of the organization, or two of the account's own data, are already
   * running; every error of `work`
   */
  async export(
    { id, claims }: Actor,
    kind: "export" | "own-export",
    work: () => Promise<Response>,
  ): Promise<Response> {
    const limit =
      kind === "own-export"
        ? { key: `own ${id}`, max: MAX_OWN_EXPORTS_PER_ACCOUNT }
        : { key: claims.organization?.id ?? id, max: MAX_EXPORTS_PER_ORGANIZATION };
    const leave = this.exports.tryAcquire([limit]);
    if (leave === null) throw tooManyRequests(RETRY_AFTER_SECONDS);
    try {
      return releaseAtEnd(await work(), leave);
    } catch (error) {
      leave();
      throw error;
    }
  }
}

/** Returns the read limiter of an instance of the service. */
export const readLimiterOf = memoizePerApp(() => new ReadLimiter());

/**
 * Wraps a response so that it releases the permit when its body ends: if it was read to its end, failed, was
 * cancelled by the client, or was aborted after `maxMs`.
 */
export function releaseAtEnd(response: Response, leave: Release, maxMs = MAX_EXPORT_MS): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    leave();
    return response;
  }
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    clearTimeout(timer);
    if (!isOver) leave();
    isOver = true;
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
      try {
        const { done, value } = await reader.read();
        if (isOver) return;
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      end();
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
