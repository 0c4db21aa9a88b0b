import { type Bound, type Leave, Places } from "../../platform/concurrency.ts";
import { MAX_WAIT_MS } from "../../platform/db/connection.ts";
import { deadlines } from "../../platform/db/deadlines.ts";
import { type ApiError, serviceUnavailable, tooManyRequests } from "../../platform/errors.ts";
import type { Actor } from "../access/access.ts";
import type { App } from "../context.ts";

const LISTS_OF_ACCOUNT = 2;
const LISTS_OF_ORGANIZATION = 3;
const WAITING_OF_ACCOUNT = 16;
const EXPORTS_OF_ORGANIZATION = 2;
const OWN_EXPORTS_OF_ACCOUNT = 2;
const RETRY_AFTER_SECONDS = 1;

/**
 * Keeps what one account, and one organization, reads of tables at once so small that connections are left for others.
 * What a platform administrator reads counts for the account alone. Each instance counts for itself.
 */
class ReadingGate {
  private readonly lists = new Places();
  private readonly exports = new Places();

  /**
   * Does the work of a list when its turn comes. The place is held until the work has ended, whether or not somebody
   * still waits for it, for until then it costs what it costs.
   * @param signal aborted when the client goes away: its request then waits no longer
   * @throws tooManyRequests where 16 of the account wait; serviceUnavailable after 8 s; whatever `work` throws
   */
  async list<T>({ userId, claims }: Actor, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const bounds = [{ key: userId, max: LISTS_OF_ACCOUNT }];
    if (claims.organization) bounds.push({ key: claims.organization.id, max: LISTS_OF_ORGANIZATION });
    const leave = this.lists.take(bounds);
    if (leave !== null) return work().finally(leave);
    if (this.lists.waiting(userId) >= WAITING_OF_ACCOUNT) throw tooManyRequests(RETRY_AFTER_SECONDS);
    return this.inTurn(bounds, signal, work);
  }

  /**
   * Does the work of an export at once, or refuses it. The place is held until the last of its answer is read, or the
   * client goes away. An export of one's own data takes no place of the organization.
   * @throws tooManyRequests where two of the organization, or two of the account's own data, run; whatever `work` throws
   */
  async export(
    { userId, claims }: Actor,
    what: "export" | "own-export",
    work: () => Promise<Response>,
  ): Promise<Response> {
    const bound =
      what === "own-export"
        ? { key: `own ${userId}`, max: OWN_EXPORTS_OF_ACCOUNT }
        : { key: claims.organization?.id ?? userId, max: EXPORTS_OF_ORGANIZATION };
    const leave = this.exports.take([bound]);
    if (leave === null) throw tooManyRequests(RETRY_AFTER_SECONDS);
    try {
      return thenLeave(await work(), leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  private async inTurn<T>(bounds: Bound[], signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const { turn, giveUp } = this.lists.wait(bounds);
    const over = Promise.withResolvers<never>();
    const end = (refusal: ApiError) => {
      giveUp();
      over.reject(refusal);
    };
    const goneAway = () => end(tooManyRequests(RETRY_AFTER_SECONDS));
    const deadline = deadlines.add(performance.now() + MAX_WAIT_MS, () =>
      end(serviceUnavailable(new Error("No turn, or no answer, in time"))),
    );
    signal.addEventListener("abort", goneAway, { once: true });
    try {
      return await Promise.race([turn.then((leave) => work().finally(leave)), over.promise]);
    } finally {
      deadlines.remove(deadline);
      signal.removeEventListener("abort", goneAway);
    }
  }
}

const gates = new WeakMap<App, ReadingGate>();

/** The gate of an instance of the service. */
export function gateOf(app: App): ReadingGate {
  let gate = gates.get(app);
  if (gate === undefined) {
    gate = new ReadingGate();
    gates.set(app, gate);
  }
  return gate;
}

/** The same answer, which gives a place back at its end, however it ends. */
function thenLeave(response: Response, leave: Leave): Response {
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
