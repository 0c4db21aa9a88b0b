import type { z } from "@hono/zod-openapi";

/** The name of a component for a constant: `MemberLeft` for `MEMBER_LEFT`. */
export const inPascalCase = (name: string): string =>
  name.toLowerCase().replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/**
 * The alternatives of a discriminated union, one for each key of `names`, as components of the document.
 * @param kind the suffix of the component names
 */
export const variantsOf = <Variant extends z.ZodObject>(
  names: object,
  make: (name: never) => z.ZodObject,
  kind: string,
): [Variant, ...Variant[]] =>
  Object.keys(names).map((name) => make(name as never).openapi(inPascalCase(name) + kind)) as never;
