import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { developmentApi } from "../../src/app/api.ts";
import { openApiDocument } from "../../src/core/api/openapi.ts";
import { typesOf } from "../support/openapi-types.ts";

/* Compiles a client program against the types that openapi-typescript generates from the OpenAPI document. */

const ROOT = join(import.meta.dir, "../..");
mkdirSync(join(ROOT, ".data"), { recursive: true });
const directory = mkdtempSync(join(ROOT, ".data/document-types-"));
afterAll(() => rmSync(directory, { recursive: true }));

const OPTIONS = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  module: "esnext",
  moduleResolution: "bundler",
  lib: ["esnext"],
  types: [],
};

beforeAll(async () => {
  writeFileSync(join(directory, "openapi-document.d.ts"), await typesOf(openApiDocument(developmentApi)));
});

/** Returns the compiler's errors for a program that imports the types as `openapi-document`. */
function compile(program: string): string {
  const tsconfig = {
    compilerOptions: { ...OPTIONS, paths: { "openapi-document": ["./openapi-document.d.ts"] } },
    files: [program],
  };
  const path = join(directory, "tsconfig.json");
  writeFileSync(path, JSON.stringify(tsconfig));
  const { stdout } = Bun.spawnSync(["bun", join(ROOT, "node_modules/typescript/bin/tsc"), "-p", path]);
  return stdout.toString();
}

test("the types from openapi-typescript narrow responses by status, error code and type", () => {
  expect(compile(join(import.meta.dir, "document-types/program.ts"))).toBe("");
});

test("a client program with a mistake does not compile against the types from openapi-typescript", () => {
  const program = join(directory, "mistaken.ts");
  writeFileSync(
    program,
    `import type { components } from "openapi-document";
     export const token = (response: components["schemas"]["LoginResponse"]): string => response.accessToken;`,
  );
  expect(compile(program)).toContain("Property 'accessToken' does not exist");
});
