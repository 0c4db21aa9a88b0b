import fc from "fast-check";
import { type Body, bodyOf, weighted } from "./bodies.ts";
import { CALLERS, type CallerName } from "./callers.ts";
import { type Operation, operationSet, operations, resolved } from "./operations.ts";
import { hostileText, idIn, valuesOf } from "./values.ts";

/** The plan of a request. Its references are resolved when the request is built. */
export type RequestPlan = {
  operation: string;
  caller: CallerName;
  params: Record<string, string>;
  /** A list of pairs instead of a record, because a parameter may be sent twice. */
  query: [name: string, value: unknown][];
  headers: Record<string, string>;
  credentials: "own" | "none" | "forged" | "cookie of another";
  body: Body;
  /**
   * The index of the kind of ids that are replaced by those of another organization, in an otherwise valid request;
   * null if no ids are replaced.
   */
  attack: number | null;
  /** A random number that selects the requests for checks that are too slow to run on all. */
  sampleKey: number;
};

/** Callers with the most permissions. */
const PRIVILEGED: CallerName[] = [
  ...([
    "stranger",
    "member",
    "unitAdmin",
    "orgAdmin",
    "manager",
    "support",
    "platformAdmin",
    "machine",
    "app",
  ] as const),
];

/** Prefixes of the routes that only platform administrators may call. */
const PLATFORM_ROUTES = /^\/api\/(organizations|users|audit-events|helpdesk|oauth-clients)\b/;

const listed = (text: string) => [...operationSet(...text.split(/\s+/))];
/** Operations that only one caller can complete, for example the caller with a second factor. */
const REQUIRED_CALLER: Record<string, CallerName> = {
  ...Object.fromEntries(
    listed(`createServiceAccount updateServiceAccount changeServiceAccountRoles createApiKey rotateApiKey revokeApiKey
      updateApiKey getEvent createWebhookEndpoint getWebhookEndpoint updateWebhookEndpoint deleteWebhookEndpoint
      rotateWebhookSecret testWebhookEndpoint listWebhookDeliveries getWebhookDelivery resendWebhookDelivery
      recoverWebhookDeliveries approveJoinRequest denyJoinRequest createConnection getConnection updateConnection
      deleteConnection listSsoIdentities deleteSsoIdentity listSsoGroups createSsoMapping previewSsoMapping
      deleteSsoMapping createSetupLink revokeSetupLink testConnection getConnectionTest updateSignOnPolicy createDomain
      getDomain updateDomain deleteDomain verifyDomain approveApp removeApprovedApp createOAuthClient getOAuthClient
      updateOAuthClient deleteOAuthClient rotateOAuthClientSecret getConnectedApp disconnectApp approveAuthorization`).map(
      (id) => [id, "orgAdmin" as const],
    ),
  ),
  ...{ verifyTwoFactor: "secondFactor", disableTwoFactor: "secondFactor", getOwnServiceAccount: "machine" },
  ...{ regenerateRecoveryCodes: "secondFactor", exportProfile: "member" },
  ...{ joinOrganization: "joiner", getSignOnSetup: "setter", finishSignOnSetup: "setter" },
  ...{ reauthenticateByConnection: "confined", getOwnConnectedApp: "app" },
};
/** The operations to which a provider sends the browser back, and their query parameters. */
const CALLBACKS = listed("finishProviderSignIn finishConnectionSignIn");
const CALLBACK_QUERY: [string, unknown][] = [
  ["code", "@@visit:0"],
  ["state", "@@visit:1"],
  ["iss", "@@visit:2"],
];

/** The endpoints of tokens, where apps send neither a session nor a key: another scheme than Basic is refused. */
const BY_APPS = listed("issueOAuthTokens revokeOAuthToken");

/** Generates the value of an `Idempotency-Key`, or of a header with ids, such as `X-Organization-Id`. */
const headerValue = (name: string): fc.Arbitrary<string> => {
  if (name === "Idempotency-Key")
    return fc.oneof(
      weighted(
        8,
        fc.nat({ max: 400 }).map((number) => `key-${number}`),
      ),
      weighted(1, fc.constantFrom('"quoted"', "a b", "", "a".repeat(255), "a".repeat(256))),
      weighted(1, hostileText),
    );
  const kind = name === "X-Filter-Member" ? "user" : name === "X-Filter-Unit" ? "unit" : "organization";
  const id = fc.nat({ max: 400 }).map((number) => `@@${kind}:${number}`);
  const printable = fc.string({ unit: fc.constantFrom(..."a0-,; %'\"{}é"), maxLength: 20 });
  return fc.oneof(
    weighted(6, id),
    weighted(2, fc.array(id, { maxLength: 3 }).map(String)),
    weighted(1, printable),
  );
};

/** The weight of sending a header; the weight of omitting it is 25. */
const HEADER_WEIGHTS: Record<string, number> = { "X-Organization-Id": 3, "Idempotency-Key": 8 };

/** Generates headers that every route accepts. */
const commonHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  weighted(12, fc.constant({})),
  weighted(
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

/** Generates a request to an operation. Most requests of platform administrators name an organization. */
const requestTo = (operation: Operation): fc.Arbitrary<RequestPlan> =>
  fc.tuple(baseRequestTo(operation), fc.nat({ max: 400 })).map(([plan, number]) => {
    if (plan.attack !== null)
      return { ...plan, caller: number % 2 === 0 ? "orgAdmin" : "stranger", credentials: "own", headers: {} };
    if (plan.caller !== "platformAdmin" || number % 5 === 0) return plan;
    return { ...plan, headers: { ...plan.headers, "X-Organization-Id": `@@organization:${number}` } };
  });

const baseRequestTo = (operation: Operation): fc.Arbitrary<RequestPlan> => {
  const isCallback = CALLBACKS.includes(operation.id);
  const parametersIn = (place: string) => operation.parameters.filter((parameter) => parameter.in === place);
  const params = Object.fromEntries(
    parametersIn("path").map(({ name }) => [
      name,
      fc.oneof(weighted(20, idIn(operation.path, name)), weighted(1, hostileText)),
    ]),
  );
  const queryParameters = parametersIn("query").map(({ name, schema, required }) =>
    fc.oneof(
      weighted(required ? 1 : 60, fc.constant<[string, unknown][]>([])),
      weighted(
        20,
        fc
          .oneof(weighted<unknown>(5, valuesOf(schema, name)), weighted<unknown>(1, hostileText))
          .map((value) => [value].flat().map((item): [string, unknown] => [name, item])),
      ),
    ),
  );
  const unknownParameter = fc.array(fc.tuple(hostileText, hostileText), { maxLength: 1 });
  const headers = parametersIn("header").map(({ name }) =>
    fc.oneof(weighted(25, fc.constant(null)), weighted(HEADER_WEIGHTS[name] ?? 1, headerValue(name))),
  );
  return fc.record({
    operation: fc.constant(operation.id),
    caller: fc.oneof(
      weighted(3, fc.constantFrom(...PRIVILEGED)),
      weighted(2, fc.constantFrom(...CALLERS)),
      weighted(PLATFORM_ROUTES.test(operation.path) ? 3 : 0, fc.constant<CallerName>("platformAdmin")),
      ...(operation.id in REQUIRED_CALLER
        ? [weighted(3, fc.constant(REQUIRED_CALLER[operation.id] as CallerName))]
        : []),
    ),
    params: fc.record(params),
    query: fc.oneof(
      ...(isCallback ? [weighted(30, fc.constant(CALLBACK_QUERY))] : []),
      weighted(
        15,
        fc.tuple(...queryParameters).map((all) => all.flat()),
      ),
      weighted(1, unknownParameter as fc.Arbitrary<[string, unknown][]>),
    ),
    headers: fc.tuple(commonHeaders, fc.tuple(...headers)).map(([more, values]) => ({
      ...more,
      ...Object.fromEntries(
        values.flatMap((value, index) =>
          value === null ? [] : [[parametersIn("header")[index]?.name ?? "", value]],
        ),
      ),
    })),
    credentials: fc.oneof(
      weighted(BY_APPS.includes(operation.id) ? 0 : 30, fc.constant("own" as const)),
      weighted(BY_APPS.includes(operation.id) ? 30 : 0, fc.constant("none" as const)),
      weighted(1, fc.constantFrom("none" as const, "forged" as const, "cookie of another" as const)),
    ),
    body: bodyOf(operation),
    sampleKey: fc.nat({ max: 999 }),
    attack: acceptsIds(operation)
      ? fc.oneof(weighted(5, fc.constant(null)), weighted(1, fc.nat({ max: 5 })))
      : fc.constant(null),
  });
};

/** Whether the path or the body of an operation contains ids of records. */
const acceptsIds = ({ path, body }: Operation) =>
  /\{(id|userId)\}/.test(path) ||
  Object.values(body).some((schema) => /"(\w+Ids?|assignments)"/.test(JSON.stringify(resolved(schema))));

/**
 * Operations that end an account, a session or a membership. They are chosen less often, because later requests
 * would only be rejected.
 */
const RARE =
  listed(`deleteProfile leaveOrganization deleteOrganization deleteUser resetPassword cancelEmailChange
  undoEmailChange finishSignOnSetup disconnectOwnApps`);
/** Operations that need two records that belong together, or the right of few callers. They are more frequent, because many are refused. */
const FREQUENT =
  listed(`createServiceAccount updateServiceAccount changeServiceAccountRoles createApiKey updateApiKey
  rotateApiKey revokeApiKey createWebhookEndpoint updateWebhookEndpoint getWebhookDelivery resendWebhookDelivery
  recoverWebhookDeliveries createConnection updateConnection getConnectionTest createSsoMapping updateDomain
  verifyDomain updateSignOnPolicy reauthenticateByConnection approveAuthorization issueOAuthTokens`);

const weightOf = (id: string) => (RARE.includes(id) ? 1 : FREQUENT.includes(id) ? 10 : 4);

/** Generates a request to any operation for which the predicate is true. */
export const anyRequest = (only: (id: string) => boolean): fc.Arbitrary<RequestPlan> =>
  fc.oneof(
    ...operations
      .filter(({ id }) => only(id))
      .map((operation) => weighted(weightOf(operation.id), requestTo(operation))),
  );
