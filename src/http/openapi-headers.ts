import { isOfOneOrganization } from "./access.ts";
import { type EndpointDefinition, takesFilters } from "./endpoint.ts";

const header = (name: string, description: string) => ({
  name,
  in: "header" as const,
  description,
  schema: { type: "string" as const },
});

const IDS = "Comma-separated ids, at most 50.";
const ONLY_CHECKED = `Only its form is checked. ${IDS}`;
const REFUSED = "403 from anyone but platform administrators.";

/** What many operations take along, by the name of its component. */
export const REQUEST_HEADERS = {
  "X-Request-Id": header(
    "X-Request-Id",
    "Names the request in logs: 1 to 128 letters, digits, dots, hyphens and underscores. Anything else is replaced.",
  ),
  "X-Organization-Id": header("X-Organization-Id", `The organization to act on, exactly one. ${REFUSED}`),
  "X-Organization-Id.narrowing": header("X-Organization-Id", `Organizations to narrow to. ${IDS} ${REFUSED}`),
  "X-Organization-Id.unused": header("X-Organization-Id", `${ONLY_CHECKED} ${REFUSED}`),
  "X-Filter-Unit": header("X-Filter-Unit", ONLY_CHECKED),
  "X-Filter-Member": header("X-Filter-Member", ONLY_CHECKED),
};

/** The headers that an operation takes, and what they do there. */
export function headerParameters(definition: EndpointDefinition) {
  const { access, filterHeaders = {} } = definition;
  return [
    shared("X-Request-Id"),
    ...(access === "public" ? [] : [shared(organizationHeader(definition))]),
    ...(takesFilters(definition)
      ? [filter("X-Filter-Unit", filterHeaders.unit), filter("X-Filter-Member", filterHeaders.member)]
      : []),
  ];
}

const shared = (name: keyof typeof REQUEST_HEADERS) => ({ $ref: `#/components/parameters/${name}` });

function organizationHeader({ access, query }: EndpointDefinition): keyof typeof REQUEST_HEADERS {
  if (isOfOneOrganization(access)) return "X-Organization-Id";
  const narrows = typeof access === "object" || query?.shape.organization !== undefined;
  return narrows ? "X-Organization-Id.narrowing" : "X-Organization-Id.unused";
}

const filter = (name: "X-Filter-Unit" | "X-Filter-Member", does: string | undefined) =>
  does === undefined ? shared(name) : header(name, `${does} ${IDS}`);

/** What many answers carry, by name. */
export const ANSWER_HEADERS = {
  "X-Request-Id": {
    schema: { type: "string" as const },
    description: "Names this request in logs and in the audit log.",
  },
  "Retry-After": { schema: { type: "integer" as const }, description: "Seconds to wait." },
};

/** The headers of answers of one status, and of the cookie that they set, if they do. */
export function answerHeaders(status: number, cookie: string | undefined) {
  const isBusy = status === 429 || status === 503;
  return {
    ...refer("X-Request-Id"),
    ...(isBusy && refer("Retry-After")),
    ...(cookie && { "Set-Cookie": { schema: { type: "string" }, description: cookie } }),
  };
}

const refer = (name: keyof typeof ANSWER_HEADERS) => ({ [name]: { $ref: `#/components/headers/${name}` } });
