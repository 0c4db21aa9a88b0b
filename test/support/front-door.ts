import { type Service, uniqueEmail } from "./service.ts";

/** The body of a registration. */
export const newAccount = (email = uniqueEmail(), more: Record<string, unknown> = {}) => ({
  email,
  password: "wide blue yonder",
  firstName: "Ada",
  lastName: "Lovelace",
  ...more,
});

export const register = (t: Service, email?: string, more: Record<string, unknown> = {}) =>
  t.anonymous().post("/api/auth/register", newAccount(email, more));

/** Whether an account has an email, deleted or not. */
export const hasAccount = async (t: Service, email: string): Promise<boolean> =>
  (await t.sql("SELECT FROM users WHERE email = $1", [email])).length > 0;

/** Runs `work`; returns how many statements and transactions the requests to the first instance sent meanwhile. */
export async function countStatements(t: Service, work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const { db } = t.running;
  const places = [db, db.lists, db.pages, db.writes, db.signIns] as unknown as Record<string, unknown>[];
  const undo = places.flatMap((place) =>
    ["query", "begin"].flatMap((name) => {
      const original = place[name];
      if (typeof original !== "function") return [];
      place[name] = (...given: unknown[]) => {
        count += 1;
        return original.apply(place, given);
      };
      return () => {
        place[name] = original;
      };
    }),
  );
  await work().finally(() => {
    for (const one of undo) one();
  });
  return count;
}

/** Returns the values of a counter by its labels, from the metrics port. */
export async function counter(t: Service, name: string): Promise<Record<string, number>> {
  const text = await (await fetch(t.running.metricsUrl ?? "")).text();
  return Object.fromEntries(
    [...text.matchAll(new RegExp(`^${name}(?:\\{(.*?)\\})? (\\d+)$`, "gm"))].map(([, labels = "", value]) => [
      labels.replaceAll('"', ""),
      Number(value),
    ]),
  );
}
