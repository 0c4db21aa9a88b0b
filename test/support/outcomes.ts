import { expect } from "bun:test";
import { type ApiResponse, type Caller, claimsOf } from "./caller.ts";
import type { Service } from "./service.ts";

/** Returns the outcome of a request as text: its status, and the code of an error. */
export const outcome = ({ status, body }: ApiResponse): string =>
  status < 400 ? String(status) : `${status} ${body.code}`;

/** Returns the messages of a request's violations. */
export const messages = ({ body }: ApiResponse): string[] =>
  (body.errors ?? []).map(({ message }: { message: string }) => message);

/** Returns the user id in an access token. */
export const idOf = (person: Caller): string => claimsOf(person.accessToken ?? "").sub;

/** Returns the header with which a platform administrator selects an organization. */
export const actingIn = (organization: { id: string }) => ({
  headers: { "x-organization-id": organization.id },
});

export type Event = {
  action: string;
  actor_id: string | null;
  target_type: string | null;
  target_id: string | null;
  metadata: Record<string, unknown>;
};

/** Lists the events of an organization whose action has this prefix, oldest first. */
export const eventsIn = (t: Service, organization: { id: string }, beginning: string) =>
  t.sql<Event>(
    `SELECT action, actor_id, target_type, target_id, metadata FROM audit_events
     WHERE organization_id = $1 AND starts_with(action, $2) ORDER BY id`,
    [organization.id, beginning],
  );

/** Expects the 429 of a limit on concurrent requests. */
export function expectTooMany(response: ApiResponse) {
  expect([response.status, response.body.code]).toEqual([429, "TOO_MANY_REQUESTS"]);
  expect(response.headers.get("retry-after")).toBe("1");
}
