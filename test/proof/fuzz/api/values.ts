import fc from "fast-check";
import { HOSTILE_TEXTS, IMPOSSIBLE } from "./hostile.ts";
import { resolved, type Schema } from "./operations.ts";

/*
 * Values from the schemas of the document. What only a running world knows (ids, addresses, tokens) is a reference,
 * `@@kind:number`, which is looked up when the request is sent: so that the same seed gives the same plan.
 */

const often = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });

/** A reference to something of the world, or of an earlier answer. */
const reference = (kind: string) => fc.nat({ max: 400 }).map((number) => `@@${kind}:${number}`);

/** Kinds of records by the names of fields and parameters that hold their ids. */
export const KINDS: Record<string, string> = {
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
};

/** Kinds of records by the part of a path before their id. */
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
};

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...IMPOSSIBLE),
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.string({ maxLength: 30 }),
);

/** Anything that JSON can say in the place of what was expected. */
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
  const plain = fc.string({
    unit: fc.constantFrom(..."abc xyzΩé-9"),
    minLength,
    maxLength: Math.max(minLength, Math.min(maxLength, 20)),
  });
  const long = fc.constantFrom(maxLength, maxLength - 1, maxLength + 1).map((length) => "é".repeat(length));
  return fc.oneof(
    { weight: 24, arbitrary: plain },
    { weight: 4, arbitrary: unicode },
    { weight: 2, arbitrary: long },
    hostileText,
  );
}

/** Fields whose values the world must know, so that requests get past their checks. */
function known(name: string, { format, type }: Schema): fc.Arbitrary<unknown> | null {
  const kind = KINDS[name];
  const orNull = (one: fc.Arbitrary<unknown>) =>
    Array.isArray(type) ? fc.option(one, { nil: null, freq: 3 }) : one;
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
      return fc.oneof(often(5, reference("code")), often(1, fc.constantFrom("000000", "123456")));
    case "recoveryCode":
      return reference("recoveryCode");
    case "search":
      return fc.oneof(
        often(2, reference("sought")),
        often(1, fc.constantFrom("a", "to", "e", "zq")),
        often(2, text({})),
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

/** A value that the schema allows, or nearly: lengths and numbers go one beyond their bounds at times. */
export function valuesOf(given: Schema, name = ""): fc.Arbitrary<unknown> {
  const schema = resolved(given);
  const special = known(name, schema);
  if (special !== null) return special;
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return fc.oneof(...options.map((option) => valuesOf(option, name)));
  const types = [schema.type ?? "string"].flat();
  const made = types.map((type) => ofType(type, schema, name));
  return made.length === 1 ? (made[0] as fc.Arbitrary<unknown>) : fc.oneof(...made);
}

function ofType(type: string, schema: Schema, name: string): fc.Arbitrary<unknown> {
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

/** An object with all that is required, and some of the rest. */
export function objectOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, valuesOf(schema, name)]),
  );
  return fc.record(fields, { requiredKeys: required, noNullPrototype: true });
}

/** The id in a path, as a rule of a record of the right kind. */
export function idIn(path: string, name: string): fc.Arbitrary<string> {
  const parts = path.split("/");
  const named = PATH_KINDS[parts[parts.indexOf(`{${name}}`) - 1] ?? ""] ?? "provider";
  const kind = path.startsWith("/api/support") && named === "ticket" ? "ownTicket" : named;
  return fc.oneof({ weight: 8, arbitrary: reference(kind) }, reference("any"));
}
