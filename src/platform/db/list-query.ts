import type { Database } from "./connection.ts";
import { type BoundQuery, type PreparedQuery, writtenFrom } from "./prepared-query.ts";

/** Common page sizes; each is a separate statement, so there are few. */
const SIZES = new Set([10, 20, 25, 50, 100]);
/** The maximum number of cached statements per list, as each uses memory on every connection. */
const MAX_SHAPES = 200;

/** Its parameters are those of the list by name, and those of the total. */
type Statement = { text: string; parameters: string[]; ofTotal: string[] };
type Total = BoundQuery<{ total: number }>;
type Values = Record<string, unknown>;

/** The rows of a page, and the end of the list from which they are read. */
export type Window = { limit: number; offset: string; descending: boolean };

/**
 * The query of a list: one text for all sorts and filters, whose filters may be null. No generic plan fits all uses of
 * that text, and planning each use costs more than the page itself. So whatever determines the plan is written into the
 * text: the sort, booleans, absent filters, the size of the first page. PostgreSQL then caches one plan for each such
 * text. This is done only if nothing is filtered but the `scopes` of the list, conditions that an index serves in the
 * order of every sort: the best plan for any other filter depends on its value, as does that of a later page
 * (docs/decisions/0007).
 */
export class ListQuery<Params extends object, Row> {
  /** By the query of their total. */
  private readonly shapes = new Map<Total["query"] | null, Map<string, Statement>>();
  private keptShapes = 0;
  private readonly filters: ReadonlySet<string>;

  constructor(
    private readonly query: PreparedQuery<Params, Row>,
    scopes: readonly (keyof Params & string)[],
  ) {
    const ofList: readonly string[] = scopes;
    this.filters = new Set(
      query.parameters.filter((name) => query.mayBeNull(name) && !ofList.includes(name)),
    );
  }

  run(params: Params, db: Pick<Database, "pages" | "lists">): Promise<Row[]> {
    const statement = this.statementFor(params as Values, null);
    return statement === null ? this.query.run(params, db.lists) : this.send(statement, params as Values, db);
  }

  /**
   * A first page and the total of its list in one statement, or null if no statement is cached for it. An empty first
   * page means an empty list, because both come from one snapshot.
   */
  runWithTotal(
    params: Params,
    total: Total,
    db: Pick<Database, "pages">,
  ): Promise<{ rows: Row[]; total: number }> | null {
    const statement = this.statementFor(params as Values, total);
    if (statement === null) return null;
    return this.send(statement, params as Values, db, total.params).then((rows) => ({
      rows,
      total: (rows[0] as { total: number } | undefined)?.total ?? 0,
    }));
  }

  /** Reads the pages of the list with the given common parameters; `counted` queries the total, if it is maintained. */
  pages(kept: Omit<Params, keyof Window>, counted: Total | null, db: Pick<Database, "pages" | "lists">) {
    const within = (window: Window) => ({ ...kept, ...window }) as unknown as Params;
    return {
      rows: (window: Window) => this.run(within(window), db),
      withTotal: (window: Window) =>
        counted === null ? null : this.runWithTotal(within(window), counted, db),
    };
  }

  private send(
    { text, parameters, ofTotal }: Statement,
    params: Values,
    db: Pick<Database, "pages">,
    totalValues: Readonly<Values> = {},
  ): Promise<Row[]> {
    const values = parameters.map((name) => params[name]);
    for (const name of ofTotal) values.push(totalValues[name]);
    return db.pages.query(text, values) as Promise<Row[]>;
  }

  private statementFor(values: Values, total: Total | null): Statement | null {
    const shape = this.shapeOf(values);
    if (shape === null) return null;
    const key = total?.query ?? null;
    const kept = this.shapes.get(key) ?? new Map<string, Statement>();
    let statement = kept.get(shape);
    if (statement === undefined) {
      if (this.keptShapes >= MAX_SHAPES) return null;
      this.keptShapes += 1;
      statement = this.written(values, key);
      this.shapes.set(key, kept.set(shape, statement));
      writtenFrom.set(statement.text, this.query);
    }
    return statement;
  }

  /** The parameters that are written into the text; null if the plan depends on their values. */
  private shapeOf(values: Values): string | null {
    let shape = "";
    for (const name of this.query.parameters) {
      const literal = literalOf(name, values[name]);
      const isFilter = this.filters.has(name) && literal !== "NULL";
      if (isFilter || (literal === null && (name === "offset" || name === "limit"))) return null;
      shape += `${literal ?? "$"},`;
    }
    return shape;
  }

  private written(values: Values, total: Total["query"] | null): Statement {
    const parameters: string[] = [];
    const page = this.query.write((place) => {
      const { name } = place;
      const literal = literalOf(name, values[name]);
      const testEnd = this.query.nullTestAt(place);
      if (testEnd !== null) return { text: String(literal === "NULL"), to: testEnd };
      if (literal !== null) return literal;
      if (!parameters.includes(name)) parameters.push(name);
      return `$${parameters.indexOf(name) + 1}`;
    });
    const ofTotal = [...(total?.parameters ?? [])];
    const count = total?.write(({ name }) => `$${parameters.length + ofTotal.indexOf(name) + 1}`);
    // In the column list it is evaluated once, and the rows keep the order of the page.
    const text = count === undefined ? page : page.replace(/^SELECT\b/, () => `SELECT (${count}) AS total,`);
    return { text, parameters, ofTotal };
  }
}

/** A parameter as a literal in the text; null if it remains a parameter. */
function literalOf(name: string, value: unknown): string | null {
  if (value === null || value === undefined) return "NULL";
  if (typeof value === "boolean") return String(value);
  if (name === "sort" && /^\w+$/.test(String(value))) return `'${value}'`;
  if (name === "limit" && SIZES.has(Number(value))) return String(Number(value));
  if (name === "offset" && Number(value) === 0) return "0";
  return null;
}
