import type { WorkerReply, WorkerRequest } from "../worker-calls.ts";
import type { Argon2Job } from "./argon2.ts";
import { lowerThread } from "./priority.ts";

declare const self: Worker;

/** Makes this thread one that derives, one job after the other, whenever nobody else wants its core. */
export function answerJobs(derive: (job: Argon2Job) => Uint8Array | Promise<Uint8Array>): void {
  lowerThread();
  // Each derivation holds its own memory, so they wait for one another.
  let previous: Promise<void> = Promise.resolve();
  self.onmessage = ({ data: { id, task } }: MessageEvent<WorkerRequest<Argon2Job>>) => {
    previous = previous.then(async () => self.postMessage(await reply(id, task)));
  };

  async function reply(id: number, job: Argon2Job): Promise<WorkerReply<Uint8Array>> {
    try {
      return { id, result: await derive(job) };
    } catch (error) {
      return { id, error: String(error) };
    }
  }
}
