import { megabytesOf } from "../../support/processes.ts";
import type { Client } from "./client.ts";
import type { Fleet } from "./fleet.ts";
import type { Person } from "./people.ts";

/**
 * The number of rounds. An instance that grows in every round has a leak. The heap of a healthy instance grows too,
 * but not in every round.
 */
const MAX_ROUNDS = 8;
const REQUESTS = 1_500;
const CONCURRENCY = 12;
/** The growth per round in megabytes that is not considered a leak. */
const STEADY_MEGABYTES = 6;
const PATHS = ["/api/notifications/unread-count", "/api/todos", "/api/profile", "/api/auth/refresh"];

/**
 * Measures how an instance grows with requests, in megabytes for each round. The first round is a warm-up. Stops
 * after the first later round without growth.
 */
export async function growthOf(fleet: Fleet, client: Client, person: Person): Promise<number[]> {
  const pid = fleet.instances[0]?.pid;
  if (pid === undefined) return [];
  await client.refresh(person, 0);
  const url = fleet.url(0);
  const growth: number[] = [];
  let size = megabytesOf(pid);
  while (growth.length < MAX_ROUNDS) {
    let sent = 0;
    const send = async () => {
      while (sent++ < REQUESTS) {
        const path = PATHS[sent % PATHS.length] ?? "";
        const isRefresh = path.endsWith("refresh");
        const response = await fetch(url + path, {
          method: isRefresh ? "POST" : "GET",
          headers: {
            authorization: `Bearer ${person.token}`,
            ...(isRefresh && { cookie: "refresh_token=none" }),
          },
        });
        await response.arrayBuffer();
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, send)).catch(() => {});
    const newSize = megabytesOf(pid);
    growth.push(Math.round(newSize - size));
    size = newSize;
    if (growth.length > 1 && isSteady(growth.at(-1) ?? 0)) break;
  }
  return growth;
}

export const growthViolations = (growth: number[]): string[] =>
  growth.length === MAX_ROUNDS && !growth.slice(1).some(isSteady)
    ? [`an instance grows with every ${REQUESTS} requests, by ${growth.join(", ")} MB`]
    : [];

const isSteady = (megabytes: number) => megabytes <= STEADY_MEGABYTES;
