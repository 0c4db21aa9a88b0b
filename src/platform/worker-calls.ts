/** The messages to and from a worker: a task, and its result or error. */
type WorkerRequest<Task> = { readonly id: number; readonly task: Task };
type WorkerReply<Result> =
  | { readonly id: number; readonly result: Result }
  | { readonly id: number; readonly error: string };

/**
 * The interface of a worker. Only server runtimes have `ref` and `unref`, which decide whether the worker keeps the
 * process alive.
 */
export type CountedWorker = Worker & { ref?(): void; unref?(): void };

interface Waiting<Result> {
  resolve(result: Result): void;
  reject(error: Error): void;
}

/** The idle time after which a worker is ended, because it uses megabytes of memory. */
const IDLE_MS = 30_000;

/**
 * Calls into one worker, which runs one task at a time. The first task starts the worker; it keeps the process alive
 * only while a task is running, and is ended after an idle time. If the worker dies, its tasks are rejected, and the
 * next task starts another.
 * @param name the worker's name in errors
 */
export function workerCalls<Task, Result>(name: string, start: () => CountedWorker, idleMs = IDLE_MS) {
  const waiting = new Map<number, Waiting<Result>>();
  let worker: CountedWorker | null = null;
  let retirement: Timer | undefined;
  let lastId = 0;

  function living(): CountedWorker {
    if (worker) return worker;

    const started = start();
    started.addEventListener("message", (event: MessageEvent<WorkerReply<Result>>) =>
      settle(started, event.data),
    );
    for (const death of ["error", "messageerror", "close"]) {
      started.addEventListener(death, () => onWorkerExit(started));
    }
    worker = started;
    return started;
  }

  function settle(from: CountedWorker, reply: WorkerReply<Result>): void {
    const call = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (waiting.size === 0 && from === worker) rest(from);

    if ("result" in reply) call?.resolve(reply.result);
    else call?.reject(new Error(`${name} failed: ${reply.error}`));
  }

  function rest(idle: CountedWorker): void {
    idle.unref?.();
    retirement = setTimeout(() => {
      worker = null;
      idle.terminate();
    }, idleMs);
    retirement.unref?.();
  }

  function onWorkerExit(dead: CountedWorker): void {
    // The exit of a worker is reported by several events, some of which may arrive after the next worker has
    // started.
    if (worker !== dead) return;
    clearTimeout(retirement);
    worker = null;
    dead.terminate();

    const lost = [...waiting.values()];
    waiting.clear();
    for (const call of lost) call.reject(new Error(`${name}: the worker died`));
  }

  /**
   * Runs one task. The objects in `moved` are transferred instead of copied, so the caller must not use them
   * afterwards.
   */
  return async (task: Task, moved: ArrayBuffer[] = []): Promise<Result> => {
    clearTimeout(retirement);
    const to = living();
    const id = ++lastId;
    return await new Promise<Result>((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      to.ref?.();
      to.postMessage({ id, task } satisfies WorkerRequest<Task>, moved);
    });
  };
}

declare const self: Worker;

/**
 * Runs the tasks of `workerCalls` in this worker, one after the other.
 * @param moved returns the objects in a result that are transferred instead of copied
 */
export function serveTasks<Task, Result>(
  work: (task: Task) => Result | Promise<Result>,
  moved: (result: Result) => ArrayBuffer[] = () => [],
): void {
  let previous: Promise<void> = Promise.resolve();
  async function serve({ id, task }: WorkerRequest<Task>): Promise<void> {
    try {
      const result = await work(task);
      self.postMessage({ id, result } satisfies WorkerReply<Result>, moved(result));
    } catch (error) {
      self.postMessage({ id, error: String(error) } satisfies WorkerReply<Result>);
    }
  }
  self.onmessage = ({ data }: MessageEvent<WorkerRequest<Task>>) => {
    previous = previous.then(() => serve(data));
  };
}
