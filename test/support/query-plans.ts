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

/** A node of a plan; it has numbers of rows if the statement was run. */
export type Plan = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Plan[];
};

/** Returns a node and all nodes below it. */
export const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** Returns the number of rows that a node reads and does not return. */
export const removedBy = (node: Plan): number =>
  node["Actual Loops"] *
  ((node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0));

/** Returns the plan of a statement without parameters. With the option ANALYZE the statement is run. */
export async function explain(connection: SQL, statement: string, option = ""): Promise<Plan> {
  const [row] = await connection.unsafe(`EXPLAIN (${option && `${option}, `}FORMAT JSON) ${statement}`);
  const response = row["QUERY PLAN"];
  return (typeof response === "string" ? JSON.parse(response) : response)[0].Plan;
}

/** Prepares a statement while `work` gets the text that executes it with values. */
export async function prepared<T>(
  connection: SQL,
  text: string,
  work: (execute: (values: unknown[]) => string) => Promise<T>,
): Promise<T> {
  await connection.unsafe(`PREPARE asked AS ${text}`);
  try {
    return await work((values) =>
      values.length === 0 ? "EXECUTE asked" : `EXECUTE asked (${values.map(literal).join()})`,
    );
  } finally {
    await connection.unsafe("DEALLOCATE asked");
  }
}

/** Returns a value as an SQL literal; the statement determines its type. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  if (Array.isArray(value)) return `'{${value.map((one) => JSON.stringify(one)).join(",")}}'`;
  if (value instanceof Date) return literal(value.toISOString());
  if (typeof value === "object") return literal(JSON.stringify(value));
  return `'${String(value).replaceAll("'", "''")}'`;
}

/** How a plan reads a table: the type of scan, and whether it has an index condition. */
export type Scan = { type: string; table: string; isLed: boolean };

/**
 * Returns the scans in the plans of a statement's first `uses` executions, as PostgreSQL may change from custom to
 * generic plans.
 */
export const scansOf = (connection: SQL, { text, values }: SentStatement, uses = 1): Promise<Scan[]> =>
  prepared(connection, text, async (execute) => {
    const scans: Scan[] = [];
    for (let use = 0; use < uses; use += 1)
      scans.push(...nodesOf(await explain(connection, execute(values))).flatMap(scanOf));
    return scans;
  });

function scanOf(node: Plan): Scan[] {
  const { "Node Type": type, "Relation Name": table, Plans: plans = [] } = node;
  if (table === undefined || !type.endsWith("Scan")) return [];
  // The index scans of a bitmap are below its heap scan.
  return [{ type, table, isLed: [node, ...plans].some((one) => one["Index Cond"] !== undefined) }];
}

/** Runs a statement; returns the number of rows that it reads from tables. */
export const rowsRead = (connection: SQL, { text, values }: SentStatement): Promise<number> =>
  prepared(connection, text, async (execute) =>
    nodesOf(await explain(connection, execute(values), "ANALYZE, TIMING OFF"))
      .filter((node) => node["Relation Name"] !== undefined)
      .reduce((sum, node) => sum + node["Actual Rows"] * node["Actual Loops"] + removedBy(node), 0),
  );
