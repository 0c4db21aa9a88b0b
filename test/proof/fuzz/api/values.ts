import fc from "fast-check";
import { HOSTILE_TEXTS, UNSTORABLE_TEXTS } from "./hostile.ts";
import { resolved, type Schema } from "./operations.ts";

/*
 * Generates values from the schemas of the OpenAPI document. Values that exist only in a fixture (ids, emails,
 * tokens) are references, `@@kind:number`, which are resolved when the request is built. So the same seed generates
 * the same plan.
 */

const weighted = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });

/** Generates a reference to a value of the fixture or of an earlier response. */
const reference = (kind: string) => fc.nat({ max: 400 }).map((number) => `@@${kind}:${number}`);

/** The kind of record by the name of a field or parameter that contains its id. */
export const ID_KINDS: Record<string, string> = {
  ...{ roleId: "role", defaultRoleId: "role", ownerRoleIds: "role", member: "user", userId: "user" },
  ...{ unitId: "unit", unitIds: "unit", parentId: "unit", unit: "unit", actorId: "user" },
  ...{ organization: "organization", organizationId: "organization", eventId: "event" },
  ...{ targetId: "any", objectId: "any", connectionId: "connection", breakGlassUserIds: "user" },
  grantId: "connectedApp",
};

/** The kind of record by the part of a path before its id. */
export const PATH_KINDS: Record<string, string> = {
  ...{ units: "unit", roles: "role", members: "user", users: "user", invitations: "invitation" },
  ...{ organizations: "organization", todos: "todo", tickets: "ticket", attachments: "attachment" },
  ...{ notifications: "notification", sessions: "session", "service-accounts": "serviceAccount" },
  ...{ keys: "apiKey", passkeys: "passkey", events: "event" },
  ...{ endpoints: "webhookEndpoint", deliveries: "webhookDelivery" },
  ...{ connections: "connection", mappings: "mapping", "setup-links": "setupLink", tests: "test" },
  ...{ domains: "domain", "join-requests": "joinRequest" },
  ...{ "oauth-clients": "oauthClient", "approved-apps": "approvedApp", "connected-apps": "connectedApp" },
};

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...UNSTORABLE_TEXTS),
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.string({ maxLength: 30 }),
);

/** Generates any JSON value, whatever the schema. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  reference("any"),
  fc.constantFrom<unknown>(
    ...[null, true, false, 0, -0, -1, 1.5, 1e21, -1e308, Number.MAX_SAFE_INTEGER + 2, 2 ** 31, -(2 ** 63)],
    ...[[], {}, [null], [[]], [{}], { length: 1 }, { toString: "x" }, ["a", 1, {}]],
    Array.from({ length: 51 }, () => "00000000-0000-7000-8000-000000000003"),
    Array.from({ length: 600 }, () => null),
  ),
  fc.json({ maxDepth: 3 }).map((text) => JSON.parse(text) as unknown),
);

const unicode = fc.string({ unit: "grapheme-composite", minLength: 1, maxLength: 12 });

function text({ minLength = 0, maxLength = 60 }: Schema): fc.Arbitrary<string> {
  const short = fc.string({
    unit: fc.constantFrom(..."abc xyzΩé-9"),
    minLength,
    maxLength: Math.max(minLength, Math.min(maxLength, 20)),
  });
  const long = fc.constantFrom(maxLength, maxLength - 1, maxLength + 1).map((length) => "é".repeat(length));
  return fc.oneof(weighted(24, short), weighted(4, unicode), weighted(2, long), hostileText);
}

const SUBNETS = [["::/1", "8000::/1", "0.0.0.0/1", "128.0.0.0/1"], ["0.0.0.0/0"], ["192.0.2.0/24"]];
const PLANS = ["free", "gift", "pro", "enterprise", "gold"];
const DATES = ["2026-01-01", "2099-12-31", "2026-01-01T00:00:00Z", "1999-12-31T23:59:59.999Z"];
const IN_FUTURE = "2030-01-01T00:00:00.000Z";
const IN_TWO_DAYS = new Date(Date.now() + 2 * 86_400_000).toISOString();
const GROUPS = ["Staff", "Staff", "staff", " Staff", "a\u0301", "Engineering", "x".repeat(257), ""];
/** Addresses of which no connection is made: no issuer, one of many organizations, and one that does not answer. */
const REFUSED_ISSUERS = [
  ...["http://10.0.0.1", "https://169.254.169.254", "https://login.microsoftonline.com/common/v2.0", "x"],
  ...["http://127.0.0.1:1", "https://[::1]", "https://user@id.example.com"],
];
/** Names that no organization can prove. */
const REFUSED_DOMAINS = [
  "com",
  "co.uk",
  "gmail.com",
  "localhost",
  "a@b.com",
  "app.test",
  "b\u00fccher.example",
];
/** Addresses to which no webhook may be sent: literals outside of the allowed network, and what is no address at all. */
const REFUSED_URLS = [
  ...[
    "http://10.0.0.1/",
    "https://[::1]/",
    "http://169.254.169.254/latest/meta-data",
    "https://0x7f.1:5432@x/",
  ],
  ...["ftp://127.0.0.1/", "https://user:password@127.0.0.1/", "http://127.0.0.1/#x", "//127.0.0.1/", "x"],
];
/** Names of apps: hosts and a client id that can be approved, and what cannot. */
const APP_NAMES = [
  ...["claude.ai", "agent.example.com", "chatgpt.com", "https://agent.example.com/oauth/client.json"],
  ...["github.io", "10.0.0.1", "claude.ai:443", "http://agent.example.com/client.json", "com"],
];
/** Redirects of apps; of two, the last is refused for a confidential one. */
const REDIRECTS = [
  ...[["https://agent.example.com/callback"], ["https://agent.example.com/a", "http://localhost/callback"]],
  ...[["http://127.0.0.1:1/x"], ["javascript:alert(1)"], ["https://user@agent.example.com/"], []],
];
/** The values of fields that are accepted with few values, by their names. */
const FIELD_VALUES: Record<string, unknown[]> = {
  eventTypes: [["*"], ["*"], ["todo.created", "unit.created"], ["ticket.updated"], ["x"], []],
  after: ["latest", "ZXZlbnRzIDE"],
  allowedIps: [...SUBNETS, ["x"], [], null],
  expiresAt: [IN_FUTURE, IN_FUTURE, "2099-01-01T00:00:00Z", "2020-01-01T00:00:00Z", "x"],
  ...{ planOverride: [...PLANS, null], plan: PLANS, from: DATES, to: DATES, format: ["csv", "ndjson"] },
  action: ["LOGIN_SUCCEEDED", "UNIT_CREATED", "USER_INVITED", "X"],
  ...{ clientId: ["service", "service", " x"], clientSecret: ["s3cret", null], group: GROUPS },
  version: [1, 1, 1, 0, 2],
  scopes: ["openid email profile", "openid", "email"],
  clientSecretExpiresAt: [IN_FUTURE, null, "x"],
  ...{ groups: ["groups", "roles"], enforceFrom: [IN_TWO_DAYS, "2020-01-01T00:00:00Z", "x"] },
  ...{ app: APP_NAMES, redirectUris: REDIRECTS },
  pagePath: ["/a", "https://x.test/b?c#d", "//evil", "/\\evil", "javascript:1", null],
};
/** The same for filters that may be sent several times. */
const FILTER_VALUES: Record<string, unknown[]> = {
  type: [["unit.created"], ["todo.created"], ["x"]],
  scopes: [["todos:read"], ["units:read", "units:write"], ["members:read"], ["todos:read", "x"], []],
  state: [["SUCCEEDED"], ["PENDING", "FAILED"], ["x"]],
};
const SLUGS = ["-a", "a-", "a--b", "a_b", "Ab", "é", "a", "a".repeat(64), "a\n"];

/** Generates values for fields that are accepted only with values of the fixture. Returns null for other fields. */
function valuesOfField(name: string, schema: Schema): fc.Arbitrary<unknown> | null {
  const { format, type } = schema;
  const kind = ID_KINDS[name];
  const orNull = (values: fc.Arbitrary<unknown>) =>
    Array.isArray(type) ? fc.option(values, { nil: null, freq: 3 }) : values;
  if (format === "uuid") return orNull(kind === undefined ? reference("any") : reference(kind));
  const mostly = (values: fc.Arbitrary<unknown>, others: fc.Arbitrary<unknown>) =>
    fc.oneof(weighted(5, values), weighted(1, others));
  if (format === "email") return fc.oneof(weighted(2, reference("email")), reference("freshEmail"));
  if (format === "password") return mostly(fc.constant("@@password:0"), fc.constant("another blue yonder"));
  const few = (type === "array" ? FILTER_VALUES[name] : undefined) ?? FIELD_VALUES[name];
  if (few !== undefined) return fc.constantFrom(...few);
  switch (name) {
    case "client":
      return mostly(reference("oauthClient"), fc.constant("https://agent.example.com/oauth/client.json"));
    case "query":
      return mostly(reference("appQuery"), text({}));
    case "requestToken":
      return mostly(reference("appRequest"), text({}));
    case "token":
    case "challengeToken":
    case "recoveryCode":
      return reference(name);
    case "code":
      return mostly(reference("code"), fc.constantFrom("000000", "123456"));
    case "response":
      return mostly(reference("passkeyResponse"), objectOf(schema));
    case "search":
      return fc.oneof(
        weighted(2, reference("searchTerm")),
        weighted(1, fc.constantFrom("a", "to", "e", "zq")),
        weighted(2, text({})),
      );
    case "key":
      return reference("apiKeyText");
    case "url":
      return mostly(fc.constant("@@receiver:0"), fc.constantFrom(...REFUSED_URLS));
    case "issuer":
      return mostly(reference("issuer"), fc.constantFrom(...REFUSED_ISSUERS));
    case "domain":
      return mostly(reference("domainName"), fc.constantFrom(...REFUSED_DOMAINS));
    case "slug":
      return fc.oneof(
        reference("slug"),
        fc.nat().map((number) => `slug-${number}`),
        fc.constantFrom(...SLUGS),
      );
    default:
      return null;
  }
}

/** Generates values that the schema allows. Some lengths and numbers exceed their bounds by one. */
export function valuesOf(unresolved: Schema, name = ""): fc.Arbitrary<unknown> {
  const schema = resolved(unresolved);
  const fieldValues = valuesOfField(name, schema);
  if (fieldValues !== null) return fieldValues;
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return fc.oneof(...options.map((option) => valuesOf(option, name)));
  const types = [schema.type ?? "string"].flat();
  const arbitraries = types.map((type) => valuesOfType(type, schema, name));
  return arbitraries.length === 1 ? (arbitraries[0] as fc.Arbitrary<unknown>) : fc.oneof(...arbitraries);
}

function valuesOfType(type: string, schema: Schema, name: string): fc.Arbitrary<unknown> {
  switch (type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
    case "number": {
      const { minimum = 0, maximum = 100 } = schema;
      const edges = fc.constantFrom(minimum, maximum, minimum - 1, maximum + 1);
      return fc.oneof(weighted(8, fc.integer({ min: minimum, max: Math.min(maximum, minimum + 4) })), edges);
    }
    case "array": {
      const item = valuesOf(schema.items ?? {}, name);
      return fc.array(item, { minLength: schema.minItems ?? 0, maxLength: 3 });
    }
    case "object":
      return objectOf(schema);
    default:
      return text(schema);
  }
}

/** Generates objects with all required fields and some of the others. */
export function objectOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, valuesOf(schema, name)]),
  );
  return fc.record(fields, { requiredKeys: required, noNullPrototype: true });
}

/** Generates the id in a path. Most generated ids are of the right kind of record. */
export function idIn(path: string, name: string): fc.Arbitrary<string> {
  const parts = path.split("/");
  const pathKind = ID_KINDS[name] ?? PATH_KINDS[parts[parts.indexOf(`{${name}}`) - 1] ?? ""] ?? "provider";
  const kind =
    path.startsWith("/api/support") && pathKind === "ticket"
      ? "ownTicket"
      : path.startsWith("/api/oauth-clients")
        ? "operatorClient"
        : pathKind;
  return fc.oneof({ weight: 8, arbitrary: reference(kind) }, reference("any"));
}
