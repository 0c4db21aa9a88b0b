import { decodeJwt } from "jose";
import { z } from "zod";
import { AccessTokenClaims } from "../../src/core/access/claims.ts";
import type { RouteDefinition } from "../../src/core/api/route.ts";
import { errorsOf } from "../../src/core/api/shared-errors.ts";
import { definitions, schemaOf } from "./routes.ts";

const ErrorShape = z.strictObject({
  statusCode: z.number(),
  code: z.string(),
  message: z.string().min(1),
  errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
  details: z.record(z.string(), z.unknown()).optional(),
  requestId: z.string(),
});

const NOTHING = z.object({});
/** The strict schemas made so far: making one takes as long as thousands of checks. */
const stricts = new WeakMap<z.core.$ZodType, z.ZodType>();

/** Ids or request ids of audit events and notifications that tests inserted themselves. */
const madeUp = new Set<string>();

/** Registers rows that a test inserts, because their metadata or data need not match the OpenAPI document. */
export async function makeUp<Row extends { id: string }>(rows: Row[] | Promise<Row[]>): Promise<Row[]> {
  for (const { id } of await rows) madeUp.add(id);
  return rows;
}

/**
 * Throws if the OpenAPI document does not declare a response of its route: an undeclared status or code, an
 * additional or a missing field. Every request of the tests is checked.
 */
export function assertDocumented(
  method: string,
  path: string,
  response: { status: number; body: unknown; headers: Headers },
): void {
  const where = `${method} ${path} responded ${response.status} ${JSON.stringify(response.body)}`;
  if (!response.headers.get("x-request-id")) throw new Error(`${where} without a request id`);
  const definition = findDefinition(method, path);
  // Some routes have errors of another shape, which are among their responses.
  const isOurs = definition?.errorShape === undefined || response.status === 404;
  if (response.status >= 400 && isOurs && path !== "/api/health/ready") {
    const error = ErrorShape.parse(response.body);
    if (error.statusCode !== response.status) throw new Error(`${where}: statusCode differs`);
    if ((error.code === "VALIDATION_FAILED") !== (error.errors !== undefined))
      throw new Error(`${where}: errors`);
  }
  if (definition === null) return;
  if (response.status >= 400 && isOurs) {
    const { statusCode, code, message, requestId, ...added } = ErrorShape.parse(response.body);
    const declared = errorsOf(definition).filter(
      (error) => error.status === response.status && error.code === code,
    );
    // Like the document: of several errors with one code, the one with a body describes all.
    strict(declared.find(({ body }) => body !== undefined)?.body ?? NOTHING).parse(added);
    if (declared.length === 0) throw new Error(`${where}, which the document does not list`);
    return;
  }
  const declared = definition.responses[response.status];
  if (declared === undefined) throw new Error(`${where}, which the document does not list`);
  const schema = schemaOf(declared);
  if (schema !== undefined) strict(schema).parse(withoutMadeUp(response.body));
  else if (response.status !== 200 && response.body !== "") throw new Error(`${where}: unexpected body`);
  checkToken(response.body);
}

const readClaims = strict(AccessTokenClaims);

/** Throws if the claims of an access token are not those of the OpenAPI document. */
function checkToken(body: unknown) {
  const { accessToken } = (body ?? {}) as { accessToken?: string };
  if (accessToken !== undefined) readClaims.parse(decodeJwt(accessToken));
}

/** Returns a response without the rows that a test inserted itself. */
function withoutMadeUp(body: unknown): unknown {
  const page = body as { data?: { id: string; requestId?: string }[] } | null;
  if (!Array.isArray(page?.data) || madeUp.size === 0) return body;
  const isWritten = ({ id, requestId = "" }: { id: string; requestId?: string }) =>
    !madeUp.has(id) && !madeUp.has(requestId);
  return { ...page, data: page.data.filter(isWritten) };
}

/** Definitions by method and number of path segments, those with the fewest parameters first. */
const byShape = Map.groupBy(
  definitions.toSorted((one, other) => one.path.split("{").length - other.path.split("{").length),
  ({ method, path }) => `${method.toUpperCase()} ${path.split("/").length}`,
);

function findDefinition(method: string, path: string): RouteDefinition | null {
  const parts = path.split("?")[0]?.split("/") ?? [];
  const found = byShape
    .get(`${method} ${parts.length}`)
    ?.find(({ path: wanted }) =>
      wanted.split("/").every((part, index) => part.startsWith("{") || part === parts[index]),
    );
  return found ?? null;
}

/** Returns the schema with unknown properties forbidden at every depth. */
export function strict(schema: z.core.$ZodType): z.ZodType {
  const known = stricts.get(schema);
  if (known !== undefined) return known;
  const made = strictOf(schema);
  stricts.set(schema, made);
  return made;
}

function strictOf(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const shape = Object.fromEntries(
      Object.entries(schema.shape).map(([key, field]) => [key, strict(field)]),
    );
    const { catchall } = schema.def;
    return catchall === undefined ? z.strictObject(shape) : z.object(shape).catchall(strict(catchall));
  }
  if (schema instanceof z.ZodArray) return z.array(strict(schema.element));
  if (schema instanceof z.ZodNullable) return strict(schema.unwrap()).nullable();
  if (schema instanceof z.ZodOptional) return strict(schema.unwrap()).optional();
  if (schema instanceof z.ZodDiscriminatedUnion)
    return z.discriminatedUnion(schema.def.discriminator, schema.options.map(strict) as never);
  if (schema instanceof z.ZodUnion) return z.union(schema.options.map(strict));
  return schema as z.ZodType;
}
