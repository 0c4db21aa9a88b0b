import { join } from "node:path";
import type { ApiResponse, Caller } from "./caller.ts";
import type { Service } from "./service.ts";

type Send = (who: Caller) => Promise<ApiResponse>;
/** What the permission matrix offers to a row: see test/architecture/matrix.test.ts. */
export type MatrixWorld = {
  t: Service;
  organizationId: string;
  /** Creates a member of the unit; returns the id of the account. */
  target: () => Promise<string>;
  get: (path: string | (() => Promise<string>)) => Send;
  at: (who: Caller) => object;
};

/** What a resource of the product adds to the tests over all routes, in `test/product/<name>/cases.ts`. */
export type ProductCases = {
  /** A row for each route: how it is called, and the status that each caller of the matrix gets. */
  matrix: (world: MatrixWorld) => Record<string, [Send, string]>;
  /** The operations that accept an access token whose session has ended. */
  acceptedAfterTheSession: string[];
  /** Creates a record for each PATCH route, by the prefix of its path; returns its id. */
  records: Record<string, (member: Caller, admin: Caller) => Promise<string>>;
  /** Operations that are exceptions from what most routes do; the reason belongs in a comment there. */
  exceptions?: Partial<Record<Exception, string[]>>;
};

/**
 * - `public`: anybody may call it
 * - `withoutKey`: a POST without `Idempotency-Key`
 * - `worksConfined`: a route for the signed-in that confined sessions may call (rules 42)
 */
export type Exception = "public" | "withoutKey" | "worksConfined";

const FOLDER = join(import.meta.dir, "../product");
export const productCases: ProductCases[] = await Promise.all(
  [...new Bun.Glob("*/cases.ts").scanSync({ cwd: FOLDER })]
    .sort()
    .map(async (file) => (await import(join(FOLDER, file))).cases),
);
export const exceptionsOfProduct = (kind: Exception): string[] =>
  productCases.flatMap(({ exceptions }) => exceptions?.[kind] ?? []);
