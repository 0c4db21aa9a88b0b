/** A place to run SQL: the pool, or a transaction. */
export interface Queryable {
  query(text: string, values: unknown[]): Promise<unknown[]>;
}

/** The part of pgtyped's description of a query that running it needs. */
type QueryDescription = {
  statement: string;
  params: { name: string; transform: { type: string }; locs: { a: number; b: number }[] }[];
};

/**
 * A typed query, made by the generated files beside sql/*.sql. It stands in for pgtyped's own runtime, which
 * builds the text anew at every call and walks every column of every row: measured at 1.4 times the CPU of
 * the bare client, where this is 1.0. Lists go in as PostgreSQL arrays, so scalar parameters are all it knows.
 */
export class PreparedQuery<Params, Row> {
  readonly text: string;
  /** The names of its parameters, in the order of the placeholders. */
  readonly parameters: readonly string[];

  constructor({ statement, params }: QueryDescription) {
    const used = params.filter((param) => param.locs.length > 0);
    const places = used.flatMap((param, index) => {
      if (param.transform.type !== "scalar")
        throw new Error(`Parameter ${param.name} must be scalar: ${statement}`);
      return param.locs.map((place) => ({ ...place, index: index + 1 }));
    });
    this.parameters = used.map((param) => param.name);
    this.text = places
      .sort((one, other) => other.a - one.a)
      .reduce((text, { a, b, index }) => `${text.slice(0, a)}$${index}${text.slice(b + 1)}`, statement)
      .trim();
  }

  run(params: Params, db: Queryable): Promise<Row[]> {
    const given = params as Record<string, unknown>;
    return db.query(
      this.text,
      this.parameters.map((name) => given[name]),
    ) as Promise<Row[]>;
  }
}

/** The row of a query that always has exactly one. */
export function exactlyOne<Row>(rows: Row[]): Row {
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw new Error(`Expected one row, got ${rows.length}`);
  return row;
}
