import type { Service } from "./service.ts";

const POOLS = ["reads", "lists", "pages"] as const;
export type PoolStatement = { pool: (typeof POOLS)[number]; text: string; values: unknown[] };

/** Runs `work`; returns the statements of all requests to the first instance meanwhile, with the pool of each. */
export async function statementsOf(t: Service, work: () => Promise<unknown>): Promise<PoolStatement[]> {
  const statements: PoolStatement[] = [];
  const { db } = t.running;
  const restore = POOLS.map((pool) => {
    const queryable = pool === "reads" ? db : db[pool];
    const { query } = queryable;
    queryable.query = (text, values, deadlineAt) => {
      statements.push({ pool, text, values });
      return query.call(queryable, text, values, deadlineAt);
    };
    return () => {
      queryable.query = query;
    };
  });
  await work().finally(() => {
    for (const undo of restore) undo();
  });
  return statements;
}
