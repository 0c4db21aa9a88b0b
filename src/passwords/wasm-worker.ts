/** The worker behind `wasm.ts`: one request in, one reply out. */
import { argon2id } from "hash-wasm";
import type { Argon2Job } from "./argon2.ts";
import type { WorkerReply, WorkerRequest } from "./wasm.ts";

declare const self: Worker;

// Each derivation holds its own memory, so they wait for one another.
let previous: Promise<void> = Promise.resolve();

self.onmessage = (event: MessageEvent<WorkerRequest>) => {
  previous = previous.then(async () => self.postMessage(await reply(event.data)));
};

async function reply({ id, job }: WorkerRequest): Promise<WorkerReply> {
  try {
    return { id, tag: await derive(job) };
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
