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
  roleId: "role",
  defaultRoleId: "role",
  ownerRoleIds: "role",
  unitId: "unit",
  unitIds: "unit",
  parentId: "unit",
  unit: "unit",
  member: "user",
  userId: "user",
  actorId: "user",
  organization: "organization",
  organizationId: "organization",
  targetId: "any",
  objectId: "any",
  eventId: "event",
};

/** The kind of record by the part of a path before its id. */
export const PATH_KINDS: Record<string, string> = {
  units: "unit",
  roles: "role",
  members: "user",
  users: "user",
  invitations: "invitation",
  organizations: "organization",
  todos: "todo",
  tickets: "ticket",
  attachments: "attachment",
  notifications: "notification",
  sessions: "session",
  "service-accounts": "serviceAccount",
  keys: "apiKey",
  passkeys: "passkey",
  events: "event",
  endpoints: "webhookEndpoint",
  deliveries: "webhookDelivery",
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
  return fc.oneof(
    { weight: 24, arbitrary: short },
    { weight: 4, arbitrary: unicode },
    { weight: 2, arbitrary: long },
    hostileText,
  );
}

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

/** Generates values for fields that are accepted only with values of the fixture. Returns null for other fields. */
function valuesOfField(name: string, schema: Schema): fc.Arbitrary<unknown> | null {
  const { format, type } = schema;
  const kind = ID_KINDS[name];
  const orNull = (values: fc.Arbitrary<unknown>) =>
    Array.isArray(type) ? fc.option(values, { nil: null, freq: 3 }) : values;
  if (format === "uuid") return orNull(kind === undefined ? reference("any") : reference(kind));
  if (format === "email")
    return fc.oneof({ weight: 2, arbitrary: reference("email") }, reference("freshEmail"));
  if (format === "password")
    return fc.oneof(
      { weight: 5, arbitrary: fc.constant("@@password:0") },
      fc.constant("another blue yonder"),
    );
  switch (name) {
    case "token":
    case "challengeToken":
      return reference(name);
    case "code":
      return fc.oneof(weighted(5, reference("code")), weighted(1, fc.constantFrom("000000", "123456")));
    case "response":
      return fc.oneof(
        weighted<unknown>(5, reference("passkeyResponse")),
        weighted<unknown>(1, objectOf(schema)),
      );
    case "recoveryCode":
      return reference("recoveryCode");
    case "search":
      return fc.oneof(
        weighted(2, reference("searchTerm")),
        weighted(1, fc.constantFrom("a", "to", "e", "zq")),
        weighted(2, text({})),
      );
    case "key":
      return reference("apiKeyText");
    case "url":
      return fc.oneof(
        weighted(5, fc.constant("@@receiver:0")),
        weighted(1, fc.constantFrom(...REFUSED_URLS)),
      );
    case "eventTypes":
      return fc.constantFrom(["*"], ["*"], ["todo.created", "unit.created"], ["ticket.updated"], ["x"], []);
    case "type":
      return type === "array" ? fc.constantFrom(["unit.created"], ["todo.created"], ["x"]) : null;
    case "state":
      return type === "array" ? fc.constantFrom(["SUCCEEDED"], ["PENDING", "FAILED"], ["x"]) : null;
    case "after":
      return fc.constantFrom("latest", "ZXZlbnRzIDE");
    case "allowedIps":
      return fc.constantFrom(
        ["192.0.2.0/24"],
        ["::/1", "8000::/1", "0.0.0.0/1", "128.0.0.0/1"],
        ["0.0.0.0/0"],
        ["x"],
        [],
        null,
      );
    case "expiresAt":
      return fc.constantFrom(
        "2030-01-01T00:00:00.000Z",
        "2030-01-01T00:00:00.000Z",
        "2099-01-01T00:00:00Z",
        "2020-01-01T00:00:00Z",
        "x",
      );
    case "slug":
      return fc.oneof(
        reference("slug"),
        fc.nat().map((number) => `slug-${number}`),
        fc.constantFrom("-a", "a-", "a--b", "a_b", "Ab", "é", "a", "a".repeat(64), "a\n"),
      );
    case "planOverride":
    case "plan":
      return fc.constantFrom("free", "gift", "pro", "enterprise", "gold", ...(name === "plan" ? [] : [null]));
    case "from":
    case "to":
      return fc.constantFrom("2026-01-01", "2099-12-31", "2026-01-01T00:00:00Z", "1999-12-31T23:59:59.999Z");
    case "format":
      return fc.constantFrom("csv", "ndjson");
    case "action":
      return fc.constantFrom("LOGIN_SUCCEEDED", "UNIT_CREATED", "USER_INVITED", "X");
    case "pagePath":
      return fc.constantFrom("/a", "https://x.test/b?c#d", "//evil", "/\\evil", "javascript:1", null);
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
      return fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: minimum, max: Math.min(maximum, minimum + 4) }) },
        edges,
      );
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
  const pathKind = PATH_KINDS[parts[parts.indexOf(`{${name}}`) - 1] ?? ""] ?? "provider";
  const kind = path.startsWith("/api/support") && pathKind === "ticket" ? "ownTicket" : pathKind;
  return fc.oneof({ weight: 8, arbitrary: reference(kind) }, reference("any"));
}
