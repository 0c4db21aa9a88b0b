import { readFileSync } from "node:fs";
import { serve } from "@hono/node-server";
import { createEdge } from "../../src/app/edge.ts";

/** Serves the handler of the edge over HTTP on Node.js and Deno: `node worker.js <argon2.wasm>`. Prints its port. */
// Node.js has `Promise.withResolvers` since version 22.
Promise.withResolvers ??= function withResolvers<T>() {
  let settle = {} as Omit<PromiseWithResolvers<T>, "promise">;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
};

const [, , wasm = ""] = process.argv;
const edge = createEdge(new WebAssembly.Module(readFileSync(wasm)));
serve({ fetch: (request) => edge.fetch(request, process.env), hostname: "127.0.0.1", port: 0 }, ({ port }) =>
  console.log(`{"port":${port}}`),
);
