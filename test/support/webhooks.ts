import { deliverAll, type NetworkOptions } from "../../src/features/webhooks/worker.ts";
import type { Caller } from "./caller.ts";
import { relay } from "./outgoing-events.ts";
import { expectStatus, type Service } from "./service.ts";

export const ENDPOINTS = "/api/webhooks/endpoints";
/** The configuration in which receivers of tests on this machine may be registered. */
export const LOCAL = { WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8" };

export type Received = { path: string; headers: Headers; body: string; event: Record<string, unknown> };

/** A receiver on this machine, which stores what arrives and responds as `respond` says. */
export function startReceiver(
  respond: (request: Received, count: number) => Response | Promise<Response> = () => new Response("ok"),
) {
  const received: Received[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    async fetch(request) {
      const body = await request.text();
      const { pathname: path } = new URL(request.url);
      const one = { path, headers: request.headers, body, event: JSON.parse(body) };
      received.push(one);
      return respond(one, received.length);
    },
  });
  return { url: `http://127.0.0.1:${server.port}/hook`, received, stop: () => server.stop(true) };
}

export type Endpoint = { id: string; secret: string; path: string };

/** Registers an endpoint. */
export async function createEndpoint(
  caller: Caller,
  url: string,
  eventTypes = ["todo.created"],
): Promise<Endpoint> {
  const { body } = expectStatus(await caller.post(ENDPOINTS, { url, eventTypes }), 201);
  return { id: body.id, secret: body.secret, path: `${ENDPOINTS}/${body.id}` };
}

/** Numbers all events and makes all due deliveries, as workers do. */
export async function deliver(t: Service, options: NetworkOptions = {}): Promise<void> {
  await relay(t);
  await deliverAll(t.running, options);
}

/** The deliveries of an endpoint, newest first. */
export const deliveriesOf = async (caller: Caller, { path }: Endpoint, query = "") =>
  expectStatus(await caller.get(`${path}/deliveries?${query}`), 200).body;

/** Makes the pending deliveries of an endpoint due now. */
export async function makeDue(t: Service, { id }: Endpoint): Promise<void> {
  await t.sql(
    "UPDATE webhook_deliveries SET next_attempt_at = now() WHERE endpoint_id = $1 AND next_attempt_at IS NOT NULL",
    [id],
  );
  await t.sql(
    "UPDATE webhook_endpoints SET next_due_at = now(), leased_until = NULL, hour_attempts = 0 WHERE id = $1",
    [id],
  );
}
