/** The worker behind `wasm.ts`: one request in, one reply out. */
import { argon2id } from "hash-wasm";
import type { WorkerReply, WorkerRequest } from "../worker-calls.ts";
import type { Argon2Job } from "./argon2.ts";

declare const self: Worker;

// Each derivation holds its own memory, so they wait for one another.
let previous: Promise<void> = Promise.resolve();

self.onmessage = (event: MessageEvent<WorkerRequest<Argon2Job>>) => {
  previous = previous.then(async () => self.postMessage(await reply(event.data)));
};

async function reply({ id, task }: WorkerRequest<Argon2Job>): Promise<WorkerReply<Uint8Array>> {
  try {
    return { id, result: await derive(task) };
  } catch (error) {
    return { id, error: String(error) };
  }
}

function derive({ password, salt, cost, tagBytes }: Argon2Job): Promise<Uint8Array> {
  return argon2id({
    password,
    salt,
    memorySize: cost.memoryKiB,
    iterations: cost.passes,
    parallelism: cost.lanes,
    hashLength: tagBytes,
    outputType: "binary",
  });
}
