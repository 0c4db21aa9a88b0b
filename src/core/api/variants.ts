import type { z } from "@hono/zod-openapi";

/** `MEMBER_LEFT` as components of the document are called: `MemberLeft`. */
export const inPascalCase = (name: string): string =>
  name.toLowerCase().replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/**
 * The alternatives of a discriminated union, one for each name, as components of the document.
 * @param kind what the names of the components end with
 */
export const variantsOf = <Variant extends z.ZodObject>(
  names: object,
  make: (name: never) => z.ZodObject,
  kind: string,
): [Variant, ...Variant[]] =>
  Object.keys(names).map((name) => make(name as never).openapi(inPascalCase(name) + kind)) as never;
