/** Something that runs SQL: a pool, or a transaction. */
export interface Queryable {
  query(text: string, values: unknown[]): Promise<unknown[]>;
}

/** The part of pgtyped's query description that is needed to run it. */
type QueryDescription = {
  statement: string;
  params: { name: string; transform: { type: string }; locs: { a: number; b: number }[] }[];
};

/** A parameter in a statement. */
type ParameterPosition = { name: string; from: number; to: number };

/** A query and its parameters. */
export interface BoundQuery<Row> {
  readonly query: PreparedQuery<never, Row>;
  readonly params: Readonly<Record<string, unknown>>;
  run(db: Queryable): Promise<Row[]>;
}

/**
 * The query that a statement was derived from, if its text differs from the query's own. Tracing names the statement
 * after it.
 */
export const writtenFrom = new Map<string, PreparedQuery<never, unknown>>();

const NULL_TEST = /^(::\w+(\[\])?)? IS NULL\b/;

/**
 * A typed query, created by the generated files in sql/. It replaces pgtyped's own runtime, which builds the text
 * again at every call and converts every column of every row: measured at 1.4 times the CPU of the bare client,
 * compared with 1.0 here. Lists are passed as PostgreSQL arrays, so only scalar parameters are supported.
 */
export class PreparedQuery<Params, Row> {
  readonly text: string;
  /** The names of its parameters, in the order of the placeholders. */
  readonly parameters: readonly string[];
  private readonly positions: ParameterPosition[];

  constructor(private readonly description: QueryDescription) {
    const used = description.params.filter((param) => param.locs.length > 0);
    for (const { name, transform } of used)
      if (transform.type !== "scalar")
        throw new Error(`Parameter ${name} must be scalar: ${description.statement}`);
    this.parameters = used.map((param) => param.name);
    this.positions = used
      .flatMap(({ name, locs }) => locs.map(({ a, b }) => ({ name, from: a, to: b + 1 })))
      .sort((one, other) => one.from - other.from);
    this.text = this.write(({ name }) => `$${this.parameters.indexOf(name) + 1}`);
  }

  run(params: Params, db: Queryable): Promise<Row[]> {
    const values = params as Record<string, unknown>;
    return db.query(
      this.text,
      this.parameters.map((name) => values[name]),
    ) as Promise<Row[]>;
  }

  /** Binds the parameters, so that the query can be run later or as a part of another statement. */
  with(params: Params): BoundQuery<Row> {
    const values = params as Record<string, unknown>;
    return { query: this, params: values, run: (db) => this.run(params, db) };
  }

  /** The statement with its parameters replaced by other text. */
  write(written: (place: ParameterPosition) => string | { text: string; to: number }): string {
    const { statement } = this.description;
    let text = "";
    let end = 0;
    for (const place of this.positions) {
      const there = written(place);
      text += statement.slice(end, place.from) + (typeof there === "string" ? there : there.text);
      end = typeof there === "string" ? place.to : there.to;
    }
    return (text + statement.slice(end)).trim();
  }

  /** Where the `IS NULL` test of the parameter at this position ends; null if there is none. */
  nullTestAt({ to }: ParameterPosition): number | null {
    const test = NULL_TEST.exec(this.description.statement.slice(to, to + 40));
    return test === null ? null : to + test[0].length;
  }

  /** Whether the statement tests the parameter with `IS NULL`, as for an optional filter. */
  mayBeNull(parameter: string): boolean {
    return this.positions.some((place) => place.name === parameter && this.nullTestAt(place) !== null);
  }
}

/** The row of a query that always has exactly one. */
export function exactlyOne<Row>(rows: Row[]): Row {
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw new Error(`Expected one row, got ${rows.length}`);
  return row;
}
