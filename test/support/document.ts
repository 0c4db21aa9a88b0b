import { z } from "zod";
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

/**
 * Fails when a response is none of those that the document declares for its route: a status or a code that is
 * not listed, a field too many, a field too few. Every request of every test passes through here.
 */
export function assertDocumented(
  method: string,
  path: string,
  answer: { status: number; body: unknown; headers: Headers },
): void {
  const where = `${method} ${path} answered ${answer.status} ${JSON.stringify(answer.body)}`;
  if (!answer.headers.get("x-request-id")) throw new Error(`${where} without a request id`);
  if (answer.status >= 400 && path !== "/api/health/ready") {
    const error = ErrorShape.parse(answer.body);
    if (error.statusCode !== answer.status) throw new Error(`${where}: statusCode differs`);
    if ((error.code === "VALIDATION_FAILED") !== (error.errors !== undefined))
      throw new Error(`${where}: errors`);
  }
  const definition = findDefinition(method, path);
  if (definition === null) return;
  if (answer.status >= 400) {
    const { code } = answer.body as { code: string };
    const declared = errorsOf(definition).some(
      (error) => error.status === answer.status && error.code === code,
    );
    if (!declared) throw new Error(`${where}, which the document does not list`);
    return;
  }
  const declared = definition.responses[answer.status];
  if (declared === undefined) throw new Error(`${where}, which the document does not list`);
  const schema = schemaOf(declared);
  if (schema !== undefined) strict(schema).parse(answer.body);
  else if (answer.status !== 200 && answer.body !== "") throw new Error(`${where}: unexpected body`);
}

function findDefinition(method: string, path: string): RouteDefinition | null {
  const parts = path.split("?")[0]?.split("/") ?? [];
  const matches = definitions.filter((definition) => {
    const wanted = definition.path.split("/");
    return (
      definition.method.toUpperCase() === method &&
      wanted.length === parts.length &&
      wanted.every((part, index) => part.startsWith("{") || part === parts[index])
    );
  });
  return matches.sort((one, other) => one.path.split("{").length - other.path.split("{").length)[0] ?? null;
}

/** The same schema, refusing properties that it does not name, at every depth. */
export function strict(schema: z.core.$ZodType): z.ZodType {
  const { def } = schema._zod;
  if (schema instanceof z.ZodObject) {
    const shape = Object.fromEntries(
      Object.entries(schema.shape).map(([key, field]) => [key, strict(field)]),
    );
    return z.strictObject(shape);
  }
  if (schema instanceof z.ZodArray) return z.array(strict(schema.element));
  if (schema instanceof z.ZodNullable) return strict(schema.unwrap()).nullable();
  if (schema instanceof z.ZodOptional) return strict(schema.unwrap()).optional();
  if (def.type === "union") return z.union((schema as z.ZodUnion).options.map(strict));
  return schema as z.ZodType;
}
