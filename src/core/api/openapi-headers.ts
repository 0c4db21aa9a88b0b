import { isOfOneOrganization } from "../access/access.ts";
import { type RouteDefinition, takesFilters } from "./route.ts";

/** The request headers of an operation and their effect. Their format is in the document's general description. */
export function headerParameters(definition: RouteDefinition) {
  const { access, filterHeaders = {} } = definition;
  const filter = (name: string, does = "Only its form is checked.") => header(name, does);
  return [
    header("X-Request-Id", "Names the request in logs."),
    ...(access === "public" ? [] : [header("X-Organization-Id", organizationHeader(definition))]),
    ...(takesFilters(definition)
      ? [filter("X-Filter-Unit", filterHeaders.unit), filter("X-Filter-Member", filterHeaders.member)]
      : []),
  ];
}

// Repeated on each operation, because common generators do not resolve references of parameters.
const header = (name: string, description: string) => ({
  name,
  in: "header",
  description,
  schema: { type: "string" },
});

function organizationHeader({ access, request }: RouteDefinition): string {
  const who = "Of platform administrators alone:";
  if (isOfOneOrganization(access)) return `${who} the one organization to act on.`;
  return typeof access === "object" || request?.query?.shape.organization !== undefined
    ? `${who} organizations to narrow to.`
    : `${who} only its form is checked.`;
}

/** Headers that many responses have, by name. */
export const RESPONSE_HEADERS = {
  "X-Request-Id": {
    schema: { type: "string" as const },
    description: "Names this request in logs and in the audit log.",
  },
  "Retry-After": { schema: { type: "integer" as const }, description: "Seconds to wait." },
};

/** The response headers for a status, including those of a cookie that it sets. */
export function responseHeaders(status: number, cookie: string | undefined) {
  const isBusy = status === 429 || status === 503;
  return {
    ...refer("X-Request-Id"),
    ...(isBusy && refer("Retry-After")),
    ...(cookie && { "Set-Cookie": { schema: { type: "string" }, description: cookie } }),
  };
}

const refer = (name: keyof typeof RESPONSE_HEADERS) => ({ [name]: { $ref: `#/components/headers/${name}` } });
