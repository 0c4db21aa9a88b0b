import fc from "fast-check";
import { type Body, bodyOf, often } from "./bodies.ts";
import { CALLERS, type CallerName } from "./callers.ts";
import { type Operation, operations, resolved } from "./operations.ts";
import { hostileText, idIn, valuesOf } from "./values.ts";

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
  /** Decides what is asked beside it. */
  dice: number;
};

/** Callers whose requests get furthest. */
const PRODUCTIVE: CallerName[] = [
  "stranger",
  "member",
  "unitAdmin",
  "orgAdmin",
  "manager",
  "support",
  "platformAdmin",
];

/** Routes for platform administrators alone. */
const OF_THE_PLATFORM = /^\/api\/(organizations|users|audit-events|helpdesk)\b/;

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

/** Ids in headers: valid ones are for platform administrators, hostile ones are for all. */
const headerValue = (name: string): fc.Arbitrary<string> => {
  const kind = name === "X-Filter-Member" ? "user" : name === "X-Filter-Unit" ? "unit" : "organization";
  const id = fc.nat({ max: 400 }).map((number) => `@@${kind}:${number}`);
  const printable = fc.string({ unit: fc.constantFrom(..."a0-,; %'\"{}é"), maxLength: 20 });
  return fc.oneof(often(6, id), often(2, fc.array(id, { maxLength: 3 }).map(String)), often(1, printable));
};

/** Headers that every route takes. */
const common: fc.Arbitrary<Record<string, string>> = fc.oneof(
  often(12, fc.constant({})),
  often(
    1,
    fc.dictionary(
      fc.constantFrom("X-Request-Id", "X-Request-Id", "User-Agent", "Accept-Language", "Range", "Origin"),
      fc.oneof(
        hostileText,
        fc.string({ unit: fc.constantFrom(..."aB3._-"), minLength: 1, maxLength: 140 }),
        fc.constantFrom("bytes=0-1", "a".repeat(129), "=1+1", "el,en;q=0.5"),
      ),
      { minKeys: 1, maxKeys: 2 },
    ),
  ),
);

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
    headers: fc.tuple(common, fc.tuple(...headers)).map(([more, values]) => ({
      ...more,
      ...Object.fromEntries(
        values.flatMap((value, index) =>
          value === null ? [] : [[named("header")[index]?.name ?? "", value]],
        ),
      ),
    })),
    credentials: fc.oneof(
      often(30, fc.constant("own" as const)),
      often(1, fc.constantFrom("none" as const, "forged" as const, "cookie of another" as const)),
    ),
    body: bodyOf(operation),
    dice: fc.nat({ max: 999 }),
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
