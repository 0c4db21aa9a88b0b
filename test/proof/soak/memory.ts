import type { Client } from "./client.ts";
import type { Fleet } from "./fleet.ts";
import type { Person } from "./people.ts";

const ROUNDS = 4;
const REQUESTS = 1_500;
const AT_ONCE = 12;
/** A round leaves less than this behind, or one of the rounds leaves nothing. */
const MEGABYTES = 6;
const PATHS = ["/api/notifications/unread-count", "/api/todos", "/api/profile", "/api/auth/refresh"];

/** How an instance grows with requests alone, in megabytes for each round: it grows in none for ever. */
export async function growthOf(fleet: Fleet, client: Client, person: Person): Promise<number[]> {
  const pid = fleet.instances[0]?.pid;
  if (pid === undefined) return [];
  await client.refresh(person, 0);
  const url = fleet.url(0);
  const sizes = [fleet.megabytesOf(pid)];
  for (let round = 0; round < ROUNDS; round += 1) {
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
    await Promise.all(Array.from({ length: AT_ONCE }, send)).catch(() => {});
    sizes.push(fleet.megabytesOf(pid));
  }
  return sizes.slice(1).map((size, index) => Math.round(size - (sizes[index] ?? 0)));
}

/** The first round warms up. */
export const growthViolations = (growth: number[]): string[] =>
  growth.length > 1 && growth.slice(1).every((megabytes) => megabytes > MEGABYTES)
    ? [`an instance grows with every ${REQUESTS} requests, by ${growth.join(", ")} MB`]
    : [];
