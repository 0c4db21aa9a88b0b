import { ApiError } from "../../platform/errors.ts";
import type { Violation } from "../../platform/violations.ts";
import { inputReader } from "./input.ts";
import { EXAMPLE_ID } from "./openapi-examples.ts";
import type { RouteDefinition } from "./route.ts";

/** The maximum number of violations in an example; more violations would explain nothing further. */
const MAX_SHOWN = 2;

/**
 * Returns example violations for an operation: those of an empty body, otherwise of a wrong type in its first
 * field, its query or its path. Returns null if the input cannot be invalid.
 */
export function exampleViolations({ request = {}, acceptsAnyQuery }: RouteDefinition): Violation[] | null {
  const { params, query, body } = request;
  const read = inputReader({ params, query, body }, { filterHeaders: false });
  const firstOf = (shape: object = {}) => Object.keys(shape)[0] ?? "";
  const field = body && body.kind !== "raw" ? firstOf(body.schema.shape) : "";
  const isJson = field !== "";
  const names = Object.keys(params?.shape ?? {});
  const ids = (value: string) => Object.fromEntries(names.map((name) => [name, value]));
  const asked = query?.shape.page === undefined ? `${firstOf(query?.shape)}=%3F` : "page=0";
  const attempts = [
    ...(isJson ? [{ body: {} }, { body: { [field]: 1 } }] : []),
    ...(query ? [{ query: "" }, { query: asked }] : []),
    { params: ids("1") },
    ...(acceptsAnyQuery ? [] : [{ query: "color=red" }]),
  ];
  for (const attempt of attempts) {
    const input = { params: ids(EXAMPLE_ID), query: "", body: undefined, headers: new Headers(), ...attempt };
    try {
      read(input);
    } catch (error) {
      if (error instanceof ApiError && error.extra.errors) return error.extra.errors.slice(0, MAX_SHOWN);
      throw error;
    }
  }
  return null;
}
