import { plugin } from "bun";
import typescript from "typescript-5";

/**
 * Makes openapi-typescript import TypeScript 5. It builds its output with the old programming interface of the
 * compiler, which TypeScript 7 no longer has.
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
