import { ApiError, isObject, validationFailed } from "#kit";
import type { RequestBindings, RequestContext, RouteDefinition } from "#kit/inside";
import type { Actor } from "../../../core/access/access.ts";

/** The service's own router, by which operations are called in process. */
export type Fetch = (request: Request, bindings: RequestBindings) => Response | Promise<Response>;

/** The context of calls of operations: the router, and the request of the agent with its caller. */
export type Inside = {
  fetch: Fetch;
  actor: Actor;
  context: RequestContext;
  bindings: RequestBindings;
  request: Request;
};

/** The route that is called. */
export type Target = { definition: Pick<RouteDefinition, "path" | "method" | "idempotent"> };
export type Input = { parameters: Record<string, unknown>; body?: unknown; idempotencyKey?: string };

/** The response of an operation. */
export type Answer = { status: number; body: unknown; isReplayed: boolean; retryAfterSeconds: number | null };

type Value = string | number | boolean;
const isValue = (value: unknown): value is Value => ["string", "number", "boolean"].includes(typeof value);

/** Returns a parameter as texts. @throws validationFailed for a value that no query can contain */
function textsOf(name: string, value: unknown): string[] {
  const values = Array.isArray(value) ? value : [value];
  if (!values.every(isValue))
    throw validationFailed([
      { path: name, message: `${name} must be a text, a number, a boolean, or a list of them` },
    ]);
  return values.map(String);
}

/** Returns the path and the query of a call. @throws validationFailed for a parameter that is missing in the path, or has no form of one */
function targetOf({ definition: { path } }: Target, parameters: Record<string, unknown>): string {
  const left = new Map(Object.entries(parameters).filter(([, value]) => value !== undefined));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const [text = "", ...others] = left.has(name) ? textsOf(name, left.get(name)) : [];
    left.delete(name);
    // A dot segment would name another path.
    if (others.length > 0 || /^\.{0,2}$/.test(text))
      throw validationFailed([{ path: name, message: `${name} is required` }]);
    return encodeURIComponent(text);
  });
  const query = new URLSearchParams(
    [...left].flatMap(([name, value]) =>
      textsOf(name, value).map((text) => [name, text] as [string, string]),
    ),
  ).toString();
  return query === "" ? filled : `${filled}?${query}`;
}

/**
 * Calls an operation through the router, in the name of the agent's caller: access, reach, validation, limits and audit are
 * those of every request.
 * @throws validationFailed for parameters that no request can have
 */
export async function callInside(
  { fetch, actor, context, bindings, request: outer }: Inside,
  operation: Target,
  { parameters, body, idempotencyKey }: Input,
): Promise<Answer> {
  const { definition } = operation;
  const headers = new Headers();
  if (body !== undefined) headers.set("content-type", "application/json");
  if (idempotencyKey !== undefined && definition.idempotent) headers.set("idempotency-key", idempotencyKey);
  const request = new Request(`http://localhost${targetOf(operation, parameters)}`, {
    method: definition.method.toUpperCase(),
    headers,
    signal: outer.signal,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const { rateLimit: _, ...shared } = context;
  const own: RequestContext = { ...shared, caller: actor, route: null, code: undefined };
  const response = await fetch(request, { ...bindings, received: request, context: own });
  const retryAfter = response.headers.get("retry-after");
  const text = await response.text();
  return {
    status: response.status,
    body: text === "" ? null : JSON.parse(text),
    isReplayed: response.headers.get("idempotent-replayed") === "true",
    retryAfterSeconds: retryAfter === null ? null : Number(retryAfter),
  };
}

/** Returns the error of a response; null if it is a success. */
export function errorOf({ status, body, retryAfterSeconds }: Answer): ApiError | null {
  if (status < 400) return null;
  const { code, message, errors } = isObject(body) ? body : {};
  return new ApiError(status, String(code ?? "INTERNAL_ERROR"), String(message ?? "Something went wrong"), {
    ...(Array.isArray(errors) && { errors }),
    ...(retryAfterSeconds !== null && { retryAfterSeconds }),
  });
}
