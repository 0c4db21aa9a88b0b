import { type Bound, type Leave, Places, type Waiter } from "../../platform/concurrency.ts";
import { MAX_WAIT_MS } from "../../platform/db/connection.ts";
import { deadlines } from "../../platform/db/deadlines.ts";
import { serviceUnavailable, tooManyRequests } from "../../platform/errors.ts";
import type { Actor } from "../access/access.ts";
import type { App } from "../context.ts";

const LISTS_OF_ACCOUNT = 2;
const LISTS_OF_ORGANIZATION = 3;
const WAITING_OF_ACCOUNT = 16;
const EXPORTS_OF_ORGANIZATION = 2;
const RETRY_AFTER_SECONDS = 1;
/** Of who waits for less, nobody asks whether the client is still there: the question costs more than most waits. */
const LONG_WAIT_MS = 100;

/**
 * Keeps what one account, and one organization, reads of tables at once so small that connections are left for others.
 * What a platform administrator reads counts for the account alone. Each instance counts for itself.
 */
class ReadingGate {
  private readonly lists = new Places<WaitingList>();
  private readonly exports = new Places();

  /**
   * Does the work of a list when its turn comes. The place is held until the work has ended, whether or not somebody
   * still waits for it, for until then it costs what it costs.
   * @param request whose signal is aborted when the client goes away: then it gives its place in the line to others
   * @throws tooManyRequests where 16 of the account wait; serviceUnavailable after 8 s; whatever `work` throws
   */
  async list<T>(
    { userId, claims }: Actor,
    request: Pick<Request, "signal">,
    work: () => Promise<T>,
  ): Promise<T> {
    const bounds = [{ key: userId, max: LISTS_OF_ACCOUNT }];
    if (claims.organization) bounds.push({ key: claims.organization.id, max: LISTS_OF_ORGANIZATION });
    const leave = this.lists.take(bounds) ?? (await this.turn(userId, bounds, request));
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /**
   * Does the work of an export at once, or refuses it. The place is held until the last of its answer is read, or the
   * client goes away.
   * @throws tooManyRequests where two of the organization run; whatever `work` throws
   */
  async export({ userId, claims }: Actor, work: () => Promise<Response>): Promise<Response> {
    const key = claims.organization?.id ?? userId;
    const leave = this.exports.take([{ key, max: EXPORTS_OF_ORGANIZATION }]);
    if (leave === null) throw tooManyRequests(RETRY_AFTER_SECONDS);
    try {
      return thenLeave(await work(), leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  private turn(userId: string, bounds: Bound[], request: Pick<Request, "signal">): Promise<Leave> {
    if (this.lists.waiting(userId).size >= WAITING_OF_ACCOUNT) this.dropGone(userId);
    if (this.lists.waiting(userId).size >= WAITING_OF_ACCOUNT) throw tooManyRequests(RETRY_AFTER_SECONDS);
    const since = performance.now();
    return new Promise((resolve, reject) => {
      const deadline = deadlines.add(since + MAX_WAIT_MS, () => {
        this.lists.giveUp(waiter);
        reject(serviceUnavailable(new Error("No turn in time")));
      });
      const isGone = () => request.signal.aborted;
      const end = () => {
        deadlines.remove(deadline);
        reject(tooManyRequests(RETRY_AFTER_SECONDS));
      };
      const begin = (leave: Leave) => {
        deadlines.remove(deadline);
        if (performance.now() - since < LONG_WAIT_MS || !isGone()) return resolve(leave);
        leave();
        end();
      };
      const waiter = { bounds, begin, isGone, end };
      this.lists.wait(waiter);
    });
  }

  private dropGone(userId: string): void {
    for (const waiter of [...this.lists.waiting(userId)]) {
      if (!waiter.isGone()) continue;
      this.lists.giveUp(waiter);
      waiter.end();
    }
  }
}

/** A list that waits for its turn; `end` refuses it. */
type WaitingList = Waiter & { isGone(): boolean; end(): void };

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
