import { afterAll } from "bun:test";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** What happens to a request: it is answered, it is lost on its way, its answer is lost, or its answer is kept back. */
type Fault = "none" | "request" | "answer" | "held";

/**
 * Starts a proxy in front of a service that loses requests or answers of one path; everything else passes.
 * `held` is the number of calls whose answers are kept back until the faults end; a call that is repeated meanwhile counts once.
 */
export function startLosingProxy(target: string, path: string) {
  const state = { fault: "none" as Fault, lost: 0, held: 0 };
  const heldKeys = new Set<unknown>();
  const waiting: (() => void)[] = [];

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const fault = request.url?.startsWith(path) ? state.fault : "none";
    const lose = () => {
      state.lost += 1;
      response.destroy();
    };
    if (fault === "request") return lose();
    const { host: _, connection: __, ...headers } = request.headers;
    const answer = await fetch(target + request.url, {
      method: request.method ?? "GET",
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const body = Buffer.from(await answer.arrayBuffer());
    if (fault === "answer") return lose();
    if (fault === "held") {
      state.held = heldKeys.add(request.headers["idempotency-key"]).size;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(body);
  }

  const server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy());
  });
  const started = new Promise<string>((resolve) =>
    server.listen(0, "127.0.0.1", () =>
      resolve(`http://127.0.0.1:${(server.address() as { port: number }).port}`),
    ),
  );
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    started,
    state,
    set(fault: Fault) {
      state.fault = fault;
      if (fault === "none") for (const resolve of waiting.splice(0)) resolve();
    },
  };
}
