import { isSingleOrganization } from "../access/access.ts";
import type { RouteDefinition } from "./route.ts";

/**
 * Returns the request headers that affect an operation. Their format, and `X-Request-Id`, which every operation
 * accepts, are in the document's general description.
 */
export function headerParameters(definition: RouteDefinition) {
  const { filterHeaders: { unit, member } = {} } = definition;
  const organization = organizationHeader(definition);
  return [
    ...(organization ? [header("X-Organization-Id", organization)] : []),
    ...(unit ? [header("X-Filter-Unit", unit)] : []),
    ...(member ? [header("X-Filter-Member", member)] : []),
    ...(definition.idempotent ? [idempotencyKeyHeader(definition)] : []),
  ];
}

const IDEMPOTENCY_KEY =
  "A unique key, such as a UUID, of 1 to 255 visible ASCII characters. Makes it safe to repeat the request.";

// Headers are repeated on each operation, because common client generators do not resolve references to parameters.
const header = (name: string, description: string) => ({
  name,
  in: "header",
  description,
  schema: { type: "string" },
});

const idempotencyKeyHeader = ({ needsIdempotencyKey }: RouteDefinition) => ({
  ...header("Idempotency-Key", IDEMPOTENCY_KEY),
  ...(needsIdempotencyKey && { required: true }),
});

function organizationHeader({ access, request }: RouteDefinition): string | null {
  if (isSingleOrganization(access)) return "Platform administrators only: the organization to act on.";
  return typeof access === "object" || request?.query?.shape.organization !== undefined
    ? "Platform administrators only: return only rows of these organizations."
    : null;
}

/** Response headers that many operations have, by name. */
export const RESPONSE_HEADERS = {
  "X-Request-Id": {
    schema: { type: "string" as const },
    description: "The id of the request in the logs and in the audit log.",
  },
  "Retry-After": {
    schema: { type: "integer" as const },
    description: "Seconds to wait before the next attempt.",
  },
  "Idempotent-Replayed": {
    schema: { type: "string" as const, enum: ["true"] },
    description:
      "Present if this is the stored response to an earlier request with the same `Idempotency-Key`.",
  },
};

/** Returns the response headers for a status of a route, including cookies that the route sets. */
export function responseHeaders({ idempotent }: RouteDefinition, status: number, cookie?: string) {
  const isBusy = status === 429 || status === 503;
  return {
    ...refer("X-Request-Id"),
    ...((isBusy || (idempotent && status === 409)) && refer("Retry-After")),
    ...(idempotent && status < 300 && refer("Idempotent-Replayed")),
    ...(cookie && { "Set-Cookie": { schema: { type: "string" }, description: cookie } }),
  };
}

const refer = (name: keyof typeof RESPONSE_HEADERS) => ({ [name]: { $ref: `#/components/headers/${name}` } });
