import { isOfOneOrganization } from "../access/access.ts";
import { type RouteDefinition, takesFilters } from "./route.ts";

/** The headers that an operation takes, and what they do there. Their forms are in the document's own description. */
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

// Written out on each operation: common clients look no further for a parameter's name.
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

/** What many responses carry, by name. */
export const RESPONSE_HEADERS = {
  "X-Request-Id": {
    schema: { type: "string" as const },
    description: "Names this request in logs and in the audit log.",
  },
  "Retry-After": { schema: { type: "integer" as const }, description: "Seconds to wait." },
};

/** The headers of responses of one status, and of the cookie that they set, if they do. */
export function responseHeaders(status: number, cookie: string | undefined) {
  const isBusy = status === 429 || status === 503;
  return {
    ...refer("X-Request-Id"),
    ...(isBusy && refer("Retry-After")),
    ...(cookie && { "Set-Cookie": { schema: { type: "string" }, description: cookie } }),
  };
}

const refer = (name: keyof typeof RESPONSE_HEADERS) => ({ [name]: { $ref: `#/components/headers/${name}` } });
