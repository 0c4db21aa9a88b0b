import { KeyedSemaphore, type KeyLimit, type Release } from "../../platform/concurrency.ts";
import { MAX_WAIT_MS } from "../../platform/db/connection.ts";
import { deadlines } from "../../platform/db/deadlines.ts";
import { type ApiError, serviceUnavailable, tooManyRequests } from "../../platform/errors.ts";
import type { Actor } from "../access/access.ts";
import type { App } from "../context.ts";

const MAX_LISTS_PER_ACCOUNT = 2;
const MAX_LISTS_PER_ORGANIZATION = 3;
const MAX_WAITING_PER_ACCOUNT = 16;
const MAX_EXPORTS_PER_ORGANIZATION = 2;
const MAX_OWN_EXPORTS_PER_ACCOUNT = 2;
const RETRY_AFTER_SECONDS = 1;

/**
 * Limits how many lists and exports one account, or one organization, reads at once, so that connections are left for
 * others. Reads of a platform administrator count for the account only. Each instance counts for itself.
 */
class ReadLimiter {
  private readonly lists = new KeyedSemaphore();
  private readonly exports = new KeyedSemaphore();

  /**
   * Runs the queries of a list as soon as the limits allow. The permit is held until the queries have ended, even if the
   * client is gone, because they use a connection until then.
   * @param signal aborted when the client disconnects: its request then stops waiting
   * @throws tooManyRequests when 16 requests of the account wait already; serviceUnavailable after 8 s; whatever `work` throws
   */
  async list<T>({ userId, claims }: Actor, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const bounds = [{ key: userId, max: MAX_LISTS_PER_ACCOUNT }];
    if (claims.organization) bounds.push({ key: claims.organization.id, max: MAX_LISTS_PER_ORGANIZATION });
    const leave = this.lists.tryAcquire(bounds);
    if (leave !== null) return work().finally(leave);
    if (this.lists.waiting(userId) >= MAX_WAITING_PER_ACCOUNT) throw tooManyRequests(RETRY_AFTER_SECONDS);
    return this.waitForTurn(bounds, signal, work);
  }

  /**
   * Starts an export at once, or refuses it. The permit is held until the response has been read to its end, or the
   * client disconnects. An export of the caller's own data does not count for the organization.
   * @throws tooManyRequests when two exports of the organization, or two of the account's own data, run already; whatever
   * `work` throws
   */
  async export(
    { userId, claims }: Actor,
    kind: "export" | "own-export",
    work: () => Promise<Response>,
  ): Promise<Response> {
    const limit =
      kind === "own-export"
        ? { key: `own ${userId}`, max: MAX_OWN_EXPORTS_PER_ACCOUNT }
        : { key: claims.organization?.id ?? userId, max: MAX_EXPORTS_PER_ORGANIZATION };
    const leave = this.exports.tryAcquire([limit]);
    if (leave === null) throw tooManyRequests(RETRY_AFTER_SECONDS);
    try {
      return releaseAtEnd(await work(), leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  private async waitForTurn<T>(bounds: KeyLimit[], signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const { turn, cancel } = this.lists.acquire(bounds);
    const over = Promise.withResolvers<never>();
    const end = (refusal: ApiError) => {
      cancel();
      over.reject(refusal);
    };
    const onAbort = () => end(tooManyRequests(RETRY_AFTER_SECONDS));
    const deadline = deadlines.add(performance.now() + MAX_WAIT_MS, () =>
      end(serviceUnavailable(new Error("No turn, or no answer, in time"))),
    );
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([turn.then((leave) => work().finally(leave)), over.promise]);
    } finally {
      deadlines.remove(deadline);
      signal.removeEventListener("abort", onAbort);
    }
  }
}

const gates = new WeakMap<App, ReadLimiter>();

/** The limiter of an instance of the service. */
export function readLimiterOf(app: App): ReadLimiter {
  let gate = gates.get(app);
  if (gate === undefined) {
    gate = new ReadLimiter();
    gates.set(app, gate);
  }
  return gate;
}

/** The same response, which releases the permit when its body ends, however it ends. */
function releaseAtEnd(response: Response, leave: Release): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    leave();
    return response;
  }
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      leave();
    },
    async cancel(reason) {
      leave();
      await reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
