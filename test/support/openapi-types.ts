import ts from "typescript-5";

/**
 * openapi-typescript builds its output with the compiler's old programming interface, which the compiler that checks this
 * project no longer has: where it asks for `typescript`, it gets version 5.
 */
Bun.plugin({
  name: "typescript-5",
  setup(build) {
    build.module("typescript", () => ({ exports: { default: ts, ...ts }, loader: "object" }));
  },
});

/** The TypeScript of an OpenAPI document, as openapi-typescript writes it. */
export async function typesOf(document: object): Promise<string> {
  const { default: openapiTS, astToString } = await import("openapi-typescript");
  return astToString(await openapiTS(document as never));
}
