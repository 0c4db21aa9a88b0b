import type { Database } from "./connection.ts";
import type { PreparedQuery } from "./prepared-query.ts";

/** Page sizes that are asked for again and again; each is a statement of its own, so there are few. */
const SIZES = new Set([10, 20, 25, 50, 100]);
/** Statements kept for one list, as each costs memory on every connection. */
const MAX_SHAPES = 200;

type Statement = { text: string; parameters: string[] };

/**
 * The query of a list, whose statement is one text for all sorts and filters, with filters that may be null. A plan that
 * fits every use of that text is of no use, and a plan for each use costs more than the page itself. So what decides the
 * plan is written into the text: the sort, yes and no, the absent filters, the size of the first page. PostgreSQL then
 * keeps one plan for each such text, which costs nothing but the first time. Only where nothing is asked for but the
 * `scopes` of the list, the conditions that an index serves in the order of every sort: the best plan for any other
 * filter depends on its value, and so does that of a page far away (docs/decisions.md, 7).
 */
export class ListQuery<Params extends object, Row> {
  private readonly shapes = new Map<string, Statement>();
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
    const given = params as Record<string, unknown>;
    const shape = this.shapeOf(given);
    if (shape === null) return this.query.run(params, db.lists);
    let statement = this.shapes.get(shape);
    if (statement === undefined) {
      if (this.shapes.size >= MAX_SHAPES) return this.query.run(params, db.lists);
      statement = this.written(given);
      this.shapes.set(shape, statement);
    }
    return db.pages.query(
      statement.text,
      statement.parameters.map((name) => given[name]),
    ) as Promise<Row[]>;
  }

  /** What of the parameters is written into the text; null where their values decide the plan. */
  private shapeOf(given: Record<string, unknown>): string | null {
    let shape = "";
    for (const name of this.query.parameters) {
      const literal = literalOf(name, given[name]);
      const isFilter = this.filters.has(name) && literal !== "NULL";
      if (isFilter || (literal === null && (name === "offset" || name === "limit"))) return null;
      shape += `${literal ?? "$"},`;
    }
    return shape;
  }

  private written(given: Record<string, unknown>): Statement {
    const parameters: string[] = [];
    const text = this.query.write((place) => {
      const { name } = place;
      const literal = literalOf(name, given[name]);
      const testEnd = this.query.nullTestAt(place);
      if (testEnd !== null) return { text: String(literal === "NULL"), to: testEnd };
      if (literal !== null) return literal;
      if (!parameters.includes(name)) parameters.push(name);
      return `$${parameters.indexOf(name) + 1}`;
    });
    return { text, parameters };
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
