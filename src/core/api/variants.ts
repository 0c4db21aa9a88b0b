import type { z } from "@hono/zod-openapi";

/** Returns the name of an OpenAPI component for a constant: `MemberLeft` for `MEMBER_LEFT`. */
export const toPascalCase = (name: string): string =>
  name.toLowerCase().replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/**
 * Returns the alternatives of a discriminated union as components of the OpenAPI document, one for each key of
 * `names`.
 * @param kind the suffix of the component names
 */
export const variantsOf = <Variant extends z.ZodObject>(
  names: object,
  make: (name: never) => z.ZodObject,
  kind: string,
): [Variant, ...Variant[]] =>
  Object.keys(names).map((name) => make(name as never).openapi(toPascalCase(name) + kind)) as never;
