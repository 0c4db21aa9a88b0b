import { expect, test } from "bun:test";
import { type CountedWorker, workerCalls } from "../../src/platform/worker-calls.ts";
import { until } from "../support/cluster.ts";

/** The source of a worker that returns its own random id. */
const source = `const self_ = crypto.randomUUID();
self.onmessage = ({ data: { id } }) => self.postMessage({ id, result: self_ });`;
const start = () => new Worker(URL.createObjectURL(new Blob([source]))) as CountedWorker;

test("an idle worker is ended, and the next call starts another one", async () => {
  const ask = workerCalls<null, string>("Test", start, 20);
  const [first, second] = await Promise.all([ask(null), ask(null)]);
  expect(second).toBe(first as string);
  const other = await until(async () => {
    await Bun.sleep(60);
    const response = await ask(null);
    return response === first ? null : response;
  });
  expect(other).not.toBe(first as string);
});

test("a worker that is called frequently stays alive", async () => {
  const ask = workerCalls<null, string>("Test", start, 60_000);
  const responses = new Set<string>();
  for (let task = 0; task < 20; task += 1) responses.add(await ask(null));
  expect(responses.size).toBe(1);
});
