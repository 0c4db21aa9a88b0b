/** The worker behind `wasm.ts`: one request in, one reply out. */
import type { WorkerReply, WorkerRequest } from "../worker-calls.ts";
import type { Argon2Job } from "./argon2.ts";
import { deriveInWasm } from "./wasm-derive.ts";

declare const self: Worker;

// Each derivation holds its own memory, so they wait for one another.
let previous: Promise<void> = Promise.resolve();

self.onmessage = (event: MessageEvent<WorkerRequest<Argon2Job>>) => {
  previous = previous.then(async () => self.postMessage(await reply(event.data)));
};

async function reply({ id, task }: WorkerRequest<Argon2Job>): Promise<WorkerReply<Uint8Array>> {
  try {
    return { id, result: await deriveInWasm(task) };
  } catch (error) {
    return { id, error: String(error) };
  }
}
