import type { Argon2Engine, Argon2Job } from "./argon2.ts";

/** What the worker is sent. */
export interface WorkerRequest {
  readonly id: number;
  readonly job: Argon2Job;
}

/** What the worker answers: the tag, or why there is none. */
export type WorkerReply =
  | { readonly id: number; readonly tag: Uint8Array }
  | { readonly id: number; readonly error: string };

/** A worker. Server runtimes alone count it among what keeps the process alive, and let one say otherwise. */
type CountedWorker = Worker & { ref?(): void; unref?(): void };

interface Waiting {
  resolve(tag: Uint8Array): void;
  reject(error: Error): void;
}

/**
 * Argon2 in WebAssembly, for platforms without a native binary. One worker derives everything, one job
 * after the other, so a gate wider than 1 gains nothing here. It starts with the first job and keeps the
 * process alive only while a job is under way. When it dies, the jobs it had are rejected and the next one
 * starts another.
 */
export function createWasmEngine(start: () => CountedWorker = startWorker): Argon2Engine {
  const waiting = new Map<number, Waiting>();
  let worker: CountedWorker | null = null;
  let lastId = 0;

  function living(): CountedWorker {
    if (worker) return worker;

    const started = start();
    started.addEventListener("message", (event: MessageEvent<WorkerReply>) => settle(started, event.data));
    for (const death of ["error", "messageerror", "close"]) {
      started.addEventListener(death, () => bury(started));
    }
    worker = started;
    return started;
  }

  function settle(from: CountedWorker, reply: WorkerReply): void {
    const job = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (waiting.size === 0) from.unref?.();

    if ("tag" in reply) job?.resolve(reply.tag);
    else job?.reject(new Error(`Argon2 failed: ${reply.error}`));
  }

  function bury(dead: CountedWorker): void {
    // One death is reported by several events, some of them after the next worker has started.
    if (worker !== dead) return;
    worker = null;
    dead.terminate();

    const lost = [...waiting.values()];
    waiting.clear();
    for (const job of lost) job.reject(new Error("The hashing worker died"));
  }

  return {
    name: "wasm",
    async derive(job) {
      const to = living();
      const id = ++lastId;
      return await new Promise<Uint8Array>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        to.ref?.();
        to.postMessage({ id, job } satisfies WorkerRequest);
      });
    },
  };
}

function startWorker(): CountedWorker {
  return new Worker(new URL("./wasm-worker.ts", import.meta.url));
}
