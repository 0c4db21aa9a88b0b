import fc from "fast-check";
import { CALLERS, type CallerName } from "./callers.ts";
import { type Operation, operations, resolved, type Schema } from "./operations.ts";
import { hostileText, hostileValue, idIn, objectOf, valuesOf } from "./values.ts";

/** A request that is yet to be sent; its references are looked up then. */
export type Plan = {
  operation: string;
  caller: CallerName;
  params: Record<string, string>;
  /** Pairs, because a parameter may be sent twice. */
  query: [name: string, value: unknown][];
  headers: Record<string, string>;
  credentials: "own" | "none" | "forged" | "cookie of another";
  body: Body;
  /** Whether all is right but for the ids of one kind, which are of another organization: which of the kinds. */
  attack: number | null;
};
export type Body =
  | { kind: "none" }
  | { kind: "json"; value: unknown; type: string }
  | { kind: "raw"; text: string; type: string }
  | { kind: "form"; fields: [string, unknown][]; images: number[] }
  | { kind: "event"; type: string; customer: number; isSigned: boolean };

/** Callers whose requests get furthest. */
const PRODUCTIVE: CallerName[] = ["stranger", "member", "unitAdmin", "orgAdmin", "support", "platformAdmin"];

/** Routes for platform administrators alone. */
const OF_THE_PLATFORM = /^\/api\/(organizations|users|audit-events|helpdesk)\b/;

type Weighted<T> = { weight: number; arbitrary: fc.Arbitrary<T> };
const often = <T>(weight: number, arbitrary: fc.Arbitrary<T>): Weighted<T> => ({ weight, arbitrary });

/** One mutation of an object: a field less, one more, or one of another type, at any depth. */
const mutated = (values: fc.Arbitrary<unknown>) =>
  fc.tuple(values, fc.nat({ max: 50 }), fc.nat({ max: 5 }), hostileValue).map(([value, at, change, bad]) => {
    const copy = structuredClone(value);
    const places = placesIn(copy);
    if (places.length === 0) return bad;
    const [holder, key] = places[at % places.length] as [Record<string, unknown>, string];
    if (change === 0) delete holder[key];
    else if (change === 1) holder.unknownField = bad;
    else holder[key] = bad;
    return copy;
  });

function placesIn(value: unknown): [Record<string, unknown>, string][] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [
    [holder, key] as [Record<string, unknown>, string],
    ...placesIn(holder[key]),
  ]);
}

const CONTENT_TYPES = [
  "",
  "text/plain",
  "application/json; charset=latin1",
  "application/jsonx",
  "*/*",
  "a/b\tc",
];
const rawBody: fc.Arbitrary<Body> = fc.record({
  kind: fc.constant("raw" as const),
  text: fc.oneof(
    fc.constantFrom(
      ...[
        "",
        "{",
        "[]",
        "null",
        '"text"',
        "{}{}",
        "\ufeff{}",
        '{"a":1,"a":2}',
        '{"__proto__":{"a":1}}',
        "1e999",
      ],
      ...[
        '{"name":"\\ud800"}',
        `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`,
        `{"a":"${"x".repeat(103_000)}"}`,
      ],
      ...["\u0000", "{\u0000}", '{"email":"\\u0000"}', "--x\r\n\r\n--x--", "a=b&c=d"],
    ),
    fc.string({ unit: "binary", maxLength: 60 }),
  ),
  type: fc.constantFrom("application/json", "application/json", "multipart/form-data", ...CONTENT_TYPES),
});

const jsonBody = (schema: Schema): fc.Arbitrary<Body> => {
  const valid = objectOf(resolved(schema));
  const type = fc.oneof(
    often(30, fc.constant("application/json")),
    often(1, fc.constantFrom(...CONTENT_TYPES)),
  );
  const value = fc.oneof(
    often<unknown>(7, valid),
    often<unknown>(3, mutated(valid)),
    often<unknown>(1, hostileValue),
  );
  return fc.record({ kind: fc.constant("json" as const), value, type });
};

function formBody(schema: Schema): fc.Arbitrary<Body> {
  const { images: _, ...properties } = resolved(schema).properties ?? {};
  const fields = objectOf({ ...resolved(schema), properties }).map((made) => Object.entries(made));
  const extra = fc.array(fc.tuple(hostileText, hostileText), { maxLength: 1 });
  return fc.record({
    kind: fc.constant("form" as const),
    fields: fc.tuple(fields, extra).map(([all, more]): [string, unknown][] => [...all, ...more]),
    images: fc.array(fc.nat({ max: 5 }), { maxLength: 3 }),
  });
}

const event: fc.Arbitrary<Body> = fc.record({
  kind: fc.constant("event" as const),
  type: fc.constantFrom("customer.subscription.updated", "customer.subscription.deleted", "x", ""),
  customer: fc.nat({ max: 3 }),
  isSigned: fc.boolean(),
});

/** Operations that need something that only some callers have, or that only a query can say. */
const SPECIAL: Record<string, CallerName> = {
  ...{ verifyTwoFactor: "secondFactor", disableTwoFactor: "secondFactor" },
  ...{ regenerateRecoveryCodes: "secondFactor", exportProfile: "member" },
};
const CALLBACK: [string, unknown][] = [
  ["code", "@@visit:0"],
  ["state", "@@visit:1"],
  ["iss", "@@visit:2"],
];

function bodyOf({ body, method }: Operation): fc.Arbitrary<Body> {
  if (method === "GET") return fc.constant<Body>({ kind: "none" });
  const json = body["application/json"];
  const form = body["multipart/form-data"];
  if (json !== undefined)
    return fc.oneof(
      often(16, jsonBody(json)),
      often(1, rawBody),
      ...(form === undefined ? [] : [often(6, formBody(form))]),
    );
  if (body["*/*"] !== undefined) return fc.oneof(often(6, event), often(1, rawBody));
  return fc.oneof(often(20, fc.constant<Body>({ kind: "none" })), often(1, rawBody));
}

/** Ids in headers: valid ones are for platform administrators, hostile ones are for all. */
const headerValue = (name: string): fc.Arbitrary<string> => {
  const kind = name === "X-Filter-Member" ? "user" : name === "X-Filter-Unit" ? "unit" : "organization";
  const id = fc.nat({ max: 400 }).map((number) => `@@${kind}:${number}`);
  const printable = fc.string({ unit: fc.constantFrom(..."a0-,; %'\"{}é"), maxLength: 20 });
  return fc.oneof(often(6, id), often(2, fc.array(id, { maxLength: 3 }).map(String)), often(1, printable));
};

/** A request to an operation; a platform administrator's names an organization, as a rule. */
const requestOf = (operation: Operation): fc.Arbitrary<Plan> =>
  fc.tuple(plainRequestOf(operation), fc.nat({ max: 400 })).map(([plan, number]) => {
    if (plan.attack !== null)
      return { ...plan, caller: number % 2 === 0 ? "orgAdmin" : "stranger", credentials: "own", headers: {} };
    if (plan.caller !== "platformAdmin" || number % 5 === 0) return plan;
    return { ...plan, headers: { ...plan.headers, "X-Organization-Id": `@@organization:${number}` } };
  });

const plainRequestOf = (operation: Operation): fc.Arbitrary<Plan> => {
  const isCallback = operation.id === "finishProviderSignIn";
  const named = (place: string) => operation.parameters.filter((parameter) => parameter.in === place);
  const params = Object.fromEntries(
    named("path").map(({ name }) => [
      name,
      fc.oneof(often(20, idIn(operation.path, name)), often(1, hostileText)),
    ]),
  );
  const inQuery = named("query").map(({ name, schema, required }) =>
    fc.oneof(
      often(required ? 1 : 60, fc.constant<[string, unknown][]>([])),
      often(
        20,
        fc
          .oneof(often<unknown>(5, valuesOf(schema, name)), often<unknown>(1, hostileText))
          .map((value) => [value].flat().map((one): [string, unknown] => [name, one])),
      ),
    ),
  );
  const strange = fc.array(fc.tuple(hostileText, hostileText), { maxLength: 1 });
  const headers = named("header").map(({ name }) =>
    fc.oneof(often(25, fc.constant(null)), often(name === "X-Organization-Id" ? 3 : 1, headerValue(name))),
  );
  return fc.record({
    operation: fc.constant(operation.id),
    caller: fc.oneof(
      often(3, fc.constantFrom(...PRODUCTIVE)),
      often(2, fc.constantFrom(...CALLERS)),
      often(OF_THE_PLATFORM.test(operation.path) ? 3 : 0, fc.constant<CallerName>("platformAdmin")),
      ...(operation.id in SPECIAL ? [often(3, fc.constant(SPECIAL[operation.id] as CallerName))] : []),
    ),
    params: fc.record(params),
    query: fc.oneof(
      ...(isCallback ? [often(30, fc.constant(CALLBACK))] : []),
      often(
        15,
        fc.tuple(...inQuery).map((all) => all.flat()),
      ),
      often(1, strange as fc.Arbitrary<[string, unknown][]>),
    ),
    headers: fc
      .tuple(...headers)
      .map((values) =>
        Object.fromEntries(
          values.flatMap((value, index) =>
            value === null ? [] : [[named("header")[index]?.name ?? "", value]],
          ),
        ),
      ),
    credentials: fc.oneof(
      often(30, fc.constant("own" as const)),
      often(1, fc.constantFrom("none" as const, "forged" as const, "cookie of another" as const)),
    ),
    body: bodyOf(operation),
    attack: takesIds(operation)
      ? fc.oneof(often(5, fc.constant(null)), often(1, fc.nat({ max: 5 })))
      : fc.constant(null),
  });
};

/** Whether something of another organization could be named in the path or the body. */
const takesIds = ({ path, body }: Operation) =>
  /\{(id|userId)\}/.test(path) ||
  Object.values(body).some((schema) => /"(\w+Ids?|assignments)"/.test(JSON.stringify(resolved(schema))));

/** Requests that end an account, a session or a membership are rarer, or little would be left to ask. */
const RARE = new Set([
  "deleteProfile",
  "leaveOrganization",
  "deleteOrganization",
  "deleteUser",
  "resetPassword",
]);

/** Any request of the document, or to some of its operations alone. */
export const anyRequest = (only: (id: string) => boolean): fc.Arbitrary<Plan> =>
  fc.oneof(
    ...operations
      .filter(({ id }) => only(id))
      .map((operation) => often(RARE.has(operation.id) ? 1 : 4, requestOf(operation))),
  );
