import { plugin } from "bun";
import typescript from "typescript-5";

/**
 * openapi-typescript builds its output with the compiler's old programming interface, which the compiler that checks this
 * project no longer has: where it asks for `typescript`, it gets the last version that had it.
 */
export async function generator() {
  plugin({
    name: "the compiler of openapi-typescript",
    setup(build) {
      const exports = { default: typescript, ...typescript };
      build.module("typescript", () => ({ exports, loader: "object" }));
    },
  });
  const { default: openapiTypescript, astToString } = await import("openapi-typescript");
  return { openapiTypescript, astToString, factory: typescript.factory };
}
