import fc from "fast-check";
import { REDIRECT, VERIFIER } from "../../../support/apps.ts";
import { type Operation, resolved, type Schema } from "./operations.ts";
import { hostileText, hostileValue, objectOf } from "./values.ts";

/** A generated request body, whose references are not resolved yet. */
export type Body =
  | { kind: "none" }
  | { kind: "json"; value: unknown; type: string }
  | { kind: "raw"; text: string; type: string }
  | { kind: "form"; fields: [string, unknown][]; images: number[] }
  | { kind: "fields"; fields: [string, string][] }
  | { kind: "event"; type: string; customer: number; isSigned: boolean };

type Weighted<T> = { weight: number; arbitrary: fc.Arbitrary<T> };
export const weighted = <T>(weight: number, arbitrary: fc.Arbitrary<T>): Weighted<T> => ({
  weight,
  arbitrary,
});

/** Generates values with one mutation at any depth: a missing field, an unknown field, or a field of another type. */
const mutated = (values: fc.Arbitrary<unknown>) =>
  fc.tuple(values, fc.nat({ max: 50 }), fc.nat({ max: 5 }), hostileValue).map(([value, at, change, bad]) => {
    const copy = structuredClone(value);
    const fields = fieldsIn(copy);
    if (fields.length === 0) return bad;
    const [holder, key] = fields[at % fields.length] as [Record<string, unknown>, string];
    if (change === 0) delete holder[key];
    else if (change === 1) holder.unknownField = bad;
    else holder[key] = bad;
    return copy;
  });

function fieldsIn(value: unknown): [Record<string, unknown>, string][] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [
    [holder, key] as [Record<string, unknown>, string],
    ...fieldsIn(holder[key]),
  ]);
}

const JSON_TYPE = "application/json";
const CONTENT_TYPES = ["", "text/plain", `${JSON_TYPE}; charset=latin1`, `${JSON_TYPE}x`, "*/*", "a/b\tc"];
const DEEP = `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`;
const RAW_BODIES = [
  ...["", "{", "[]", "null", '"text"', "{}{}", "\ufeff{}", '{"a":1,"a":2}', '{"__proto__":{"a":1}}', "1e999"],
  ...['{"name":"\\ud800"}', DEEP, `{"a":"${"x".repeat(103_000)}"}`],
  ...["\u0000", "{\u0000}", '{"email":"\\u0000"}', "--x\r\n\r\n--x--", "a=b&c=d"],
];
const rawBody: fc.Arbitrary<Body> = fc.record({
  kind: fc.constant("raw" as const),
  text: fc.oneof(fc.constantFrom(...RAW_BODIES), fc.string({ unit: "binary", maxLength: 60 })),
  type: fc.constantFrom(JSON_TYPE, JSON_TYPE, "multipart/form-data", ...CONTENT_TYPES),
});

const jsonBody = (schema: Schema): fc.Arbitrary<Body> => {
  const valid = objectOf(resolved(schema));
  const type = fc.oneof(weighted(30, fc.constant(JSON_TYPE)), weighted(1, fc.constantFrom(...CONTENT_TYPES)));
  const value = fc.oneof(
    weighted<unknown>(7, valid),
    weighted<unknown>(3, mutated(valid)),
    weighted<unknown>(1, hostileValue),
  );
  return fc.record({ kind: fc.constant("json" as const), value, type });
};

function formBody(schema: Schema): fc.Arbitrary<Body> {
  const { images: _, ...properties } = resolved(schema).properties ?? {};
  const fields = objectOf({ ...resolved(schema), properties }).map((values) => Object.entries(values));
  const extra = fc.array(fc.tuple(hostileText, hostileText), { maxLength: 1 });
  return fc.record({
    kind: fc.constant("form" as const),
    fields: fc.tuple(fields, extra).map(([all, more]): [string, unknown][] => [...all, ...more]),
    images: fc.array(fc.nat({ max: 5 }), { maxLength: 3 }),
  });
}

/** What an app sends to the endpoints of tokens. All references have one number, so that they are of one app; sometimes one has another. */
const appFields = (operation: string): fc.Arbitrary<Body> =>
  fc
    .record({
      ...{ number: fc.nat({ max: 400 }), other: fc.nat({ max: 400 }), at: fc.nat({ max: 30 }) },
      grant: fc.constantFrom("authorization_code", "refresh_token", "refresh_token", "password"),
      text: hostileText,
      change: fc.constantFrom("none", "none", "none", "other", "text", "without", "twice", "scope"),
    })
    .map(({ number, other, at, grant, text, change }) => {
      const named: [string, string][] =
        operation === "revokeOAuthToken"
          ? [["token", `@@appToken:${number}`]]
          : grant === "refresh_token"
            ? [["refresh_token", `@@appToken:${number}`]]
            : [
                ["code", `@@appCode:${number}`],
                ["code_verifier", VERIFIER],
                ["redirect_uri", REDIRECT],
              ];
      const all: [string, string][] = [
        ...(operation === "revokeOAuthToken" ? [] : [["grant_type", grant] as [string, string]]),
        ...named,
        ["client_id", `@@appClient:${number}`],
        ["client_secret", `@@appSecret:${number}`],
      ];
      const field = all[at % all.length] as [string, string];
      if (change === "other") field[1] = field[1].replace(/:\d+$/, `:${other}`);
      else if (change === "text") field[1] = text;
      else if (change === "twice") all.push(field);
      else if (change === "scope") all.push(["scope", number % 2 === 0 ? "todos:read" : text]);
      return {
        kind: "fields" as const,
        fields: change === "without" ? all.filter((one) => one !== field) : all,
      };
    });

const event: fc.Arbitrary<Body> = fc.record({
  kind: fc.constant("event" as const),
  type: fc.constantFrom("customer.subscription.updated", "customer.subscription.deleted", "x", ""),
  customer: fc.nat({ max: 3 }),
  isSigned: fc.boolean(),
});

/** Generates bodies that an operation accepts, and mutations of them. */
export function bodyOf({ id, body, method }: Operation): fc.Arbitrary<Body> {
  if (method === "GET") return fc.constant<Body>({ kind: "none" });
  const json = body["application/json"];
  const form = body["multipart/form-data"];
  if (body["application/x-www-form-urlencoded"] !== undefined)
    return fc.oneof(weighted(16, appFields(id)), weighted(1, rawBody));
  if (json !== undefined)
    return fc.oneof(
      weighted(16, jsonBody(json)),
      weighted(1, rawBody),
      ...(form === undefined ? [] : [weighted(6, formBody(form))]),
    );
  if (body["*/*"] !== undefined) return fc.oneof(weighted(6, event), weighted(1, rawBody));
  return fc.oneof(weighted(20, fc.constant<Body>({ kind: "none" })), weighted(1, rawBody));
}
