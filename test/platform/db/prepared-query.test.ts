import { expect, test } from "bun:test";
import { join } from "node:path";
import { processSQLQueryIR } from "@pgtyped/runtime";
import { PreparedQuery } from "../../../src/platform/db/prepared-query.ts";

const ROOT = join(import.meta.dir, "../../..");

/*
 * The service has its own runtime for generated queries, because pgtyped's loads an SQL parser (docs/decisions/0002).
 * Both must produce the same statements.
 */
test("every query has the same text and parameters as with pgtyped's own runtime", async () => {
  const files = [...new Bun.Glob("sql/**/*.queries.ts").scanSync(ROOT)];
  const sources = await Promise.all(files.map((file) => Bun.file(join(ROOT, file)).text()));
  const descriptions = sources
    .flatMap((source) => [...source.matchAll(/^const \w+IR: any = (\{.*\});$/gm)])
    .map(([, json = ""]) => JSON.parse(json));
  expect(descriptions.length).toBeGreaterThan(200);
  for (const description of descriptions) {
    const { text, parameters } = new PreparedQuery(description);
    const { query, mapping } = processSQLQueryIR(description);
    expect({ text, parameters: [...parameters] }).toEqual({
      text: query.trim(),
      parameters: mapping.map(({ name }) => name),
    });
  }
});
