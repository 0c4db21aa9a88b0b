import type { SQL } from "bun";
import { systemCall, type Tx } from "../../src/core/context.ts";
import type { Queryable } from "../../src/platform/db/prepared-query.ts";
import { transaction } from "../../src/platform/db/transaction.ts";
import type { Service } from "./service.ts";

/** A statement as sent to the database. */
export type SentStatement = { text: string; values: unknown[] };

/** Runs `work` in a transaction; returns the statements that it sent. */
export async function recordStatements(
  t: Service,
  work: (tx: Tx) => Promise<unknown>,
): Promise<SentStatement[]> {
  const statements: SentStatement[] = [];
  const recording = (db: Queryable) => (text: string, values: unknown[]) => {
    statements.push({ text, values });
    return db.query(text, values);
  };
  await transaction(systemCall(t.running), (tx) => {
    return work({ ...tx, db: { query: recording(tx.db) }, effects: { query: recording(tx.effects) } });
  });
  return statements;
}

type Plan = { "Node Type": string; "Relation Name"?: string; "Index Cond"?: string; Plans?: Plan[] };

/** How a plan reads a table: the type of scan, and whether it has an index condition. */
export type Scan = { type: string; table: string; isLed: boolean };

/**
 * Returns the scans in the plans of a statement's first `uses` executions, as PostgreSQL may change from custom to
 * generic plans.
 */
export async function scansOf(connection: SQL, { text, values }: SentStatement, uses = 1): Promise<Scan[]> {
  await connection.unsafe(`PREPARE statement AS ${text}`);
  const scans: Scan[] = [];
  for (let use = 0; use < uses; use += 1) {
    const [row] = await connection.unsafe(
      `EXPLAIN (FORMAT JSON) EXECUTE statement (${values.map(literal).join()})`,
    );
    const response = row["QUERY PLAN"];
    scans.push(...scansBelow((typeof response === "string" ? JSON.parse(response) : response)[0].Plan));
  }
  await connection.unsafe("DEALLOCATE statement");
  return scans;
}

function scansBelow(plan: Plan): Scan[] {
  const { "Node Type": type, "Relation Name": table, Plans: plans = [] } = plan;
  if (table === undefined || !type.endsWith("Scan")) return plans.flatMap(scansBelow);
  // The index scans of a bitmap are below its heap scan.
  const isLed = [plan, ...plans].some((one) => one["Index Cond"] !== undefined);
  return [{ type, table, isLed }, ...plans.flatMap(scansBelow)];
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  if (Array.isArray(value)) return `'{${value.map((one) => JSON.stringify(one)).join(",")}}'`;
  if (typeof value === "object") return literal(JSON.stringify(value));
  return `'${String(value).replaceAll("'", "''")}'`;
}

type AnalyzedPlan = {
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  "Relation Name"?: string;
  Plans?: AnalyzedPlan[];
};

/** Runs a statement; returns the number of rows that it reads from tables. */
export async function rowsRead(connection: SQL, { text, values }: SentStatement): Promise<number> {
  await connection.unsafe(`PREPARE statement AS ${text}`);
  const [row] = await connection.unsafe(
    `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE statement (${values.map(literal).join()})`,
  );
  await connection.unsafe("DEALLOCATE statement");
  const response = row["QUERY PLAN"];
  const readBelow = (plan: AnalyzedPlan): number => {
    const { "Actual Rows": rows, "Actual Loops": loops, Plans: plans = [] } = plan;
    const removed = (plan["Rows Removed by Filter"] ?? 0) + (plan["Rows Removed by Index Recheck"] ?? 0);
    const own = plan["Relation Name"] === undefined ? 0 : (rows + removed) * loops;
    return own + plans.map(readBelow).reduce((sum, one) => sum + one, 0);
  };
  return readBelow((typeof response === "string" ? JSON.parse(response) : response)[0].Plan);
}
