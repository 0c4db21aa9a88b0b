import type { Database } from "./connection.ts";
import type { AskedQuery, PreparedQuery } from "./prepared-query.ts";

/** Page sizes that are asked for again and again; each is a statement of its own, so there are few. */
const SIZES = new Set([10, 20, 25, 50, 100]);
/** Statements kept for one list, as each costs memory on every connection. */
const MAX_SHAPES = 200;

/** Its parameters are those of the list by name, and whatever the total was asked with. */
type Statement = { text: string; parameters: string[]; ofTotal: string[] };
type Total = AskedQuery<{ total: number }>;
type Given = Record<string, unknown>;

/** Which rows of a list a page shows, and from which end. */
export type Window = { limit: number; offset: string; descending: boolean };

/**
 * The query of a list, whose statement is one text for all sorts and filters, with filters that may be null. A plan that
 * fits every use of that text is of no use, and a plan for each use costs more than the page itself. So what decides the
 * plan is written into the text: the sort, yes and no, the absent filters, the size of the first page. PostgreSQL then
 * keeps one plan for each such text, which costs nothing but the first time. Only where nothing is asked for but the
 * `scopes` of the list, the conditions that an index serves in the order of every sort: the best plan for any other
 * filter depends on its value, and so does that of a page far away (docs/decisions.md, 7).
 */
export class ListQuery<Params extends object, Row> {
  /** By the query of the total that they tell. */
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
    const statement = this.statementFor(params as Given, null);
    return statement === null ? this.query.run(params, db.lists) : this.send(statement, params as Given, db);
  }

  /**
   * A first page and the total of its list by one statement, or null where no statement is kept for it. An empty first
   * page is one of an empty list: both are of one snapshot.
   */
  runWithTotal(
    params: Params,
    total: Total,
    db: Pick<Database, "pages">,
  ): Promise<{ rows: Row[]; total: number }> | null {
    const statement = this.statementFor(params as Given, total);
    if (statement === null) return null;
    return this.send(statement, params as Given, db, total.given).then((rows) => ({
      rows,
      total: (rows[0] as { total: number } | undefined)?.total ?? 0,
    }));
  }

  /** The reading of its pages, with what they all have in common; `counted` tells the total, where it is kept. */
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
    given: Given,
    db: Pick<Database, "pages">,
    givenTotal: Readonly<Given> = {},
  ): Promise<Row[]> {
    const values = parameters.map((name) => given[name]);
    for (const name of ofTotal) values.push(givenTotal[name]);
    return db.pages.query(text, values) as Promise<Row[]>;
  }

  private statementFor(given: Given, total: Total | null): Statement | null {
    const shape = this.shapeOf(given);
    if (shape === null) return null;
    const key = total?.query ?? null;
    const kept = this.shapes.get(key) ?? new Map<string, Statement>();
    let statement = kept.get(shape);
    if (statement === undefined) {
      if (this.keptShapes >= MAX_SHAPES) return null;
      this.keptShapes += 1;
      statement = this.written(given, key);
      this.shapes.set(key, kept.set(shape, statement));
    }
    return statement;
  }

  /** What of the parameters is written into the text; null where their values decide the plan. */
  private shapeOf(given: Given): string | null {
    let shape = "";
    for (const name of this.query.parameters) {
      const literal = literalOf(name, given[name]);
      const isFilter = this.filters.has(name) && literal !== "NULL";
      if (isFilter || (literal === null && (name === "offset" || name === "limit"))) return null;
      shape += `${literal ?? "$"},`;
    }
    return shape;
  }

  private written(given: Given, total: Total["query"] | null): Statement {
    const parameters: string[] = [];
    const page = this.query.write((place) => {
      const { name } = place;
      const literal = literalOf(name, given[name]);
      const testEnd = this.query.nullTestAt(place);
      if (testEnd !== null) return { text: String(literal === "NULL"), to: testEnd };
      if (literal !== null) return literal;
      if (!parameters.includes(name)) parameters.push(name);
      return `$${parameters.indexOf(name) + 1}`;
    });
    const ofTotal = [...(total?.parameters ?? [])];
    const count = total?.write(({ name }) => `$${parameters.length + ofTotal.indexOf(name) + 1}`);
    // In the list of columns it is read once, and the order of the rows is the page's.
    const text = count === undefined ? page : page.replace(/^SELECT\b/, () => `SELECT (${count}) AS total,`);
    return { text, parameters, ofTotal };
  }
}

/** A parameter as it stands in the text, or null where it stays one. */
function literalOf(name: string, value: unknown): string | null {
  if (value === null || value === undefined) return "NULL";
  if (typeof value === "boolean") return String(value);
  if (name === "sort" && /^\w+$/.test(String(value))) return `'${value}'`;
  if (name === "limit" && SIZES.has(Number(value))) return String(Number(value));
  if (name === "offset" && Number(value) === 0) return "0";
  return null;
}
