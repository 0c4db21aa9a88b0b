import { expect, test } from "bun:test";
import { join } from "node:path";
import { TOKEN_PATHS } from "../../../src/core/effects/token-links.ts";

const FOLDER = join(import.meta.dir, "../../../src/features");
const templates = await Promise.all(
  [...new Bun.Glob("*/mails.ts").scanSync({ cwd: FOLDER })].map((file) =>
    Bun.file(join(FOLDER, file)).text(),
  ),
);
/** The sentences of the mails, without their values. */
const sentences = templates.flatMap((text) =>
  [...text.matchAll(/"([^"\n]* [^"\n]*)"|`([^`\n]* [^`\n]*)`/g)].map(([, plain, filled]) =>
    (plain ?? filled ?? "").replace(/\$\{[^}]*\}/g, ""),
  ),
);

test("the texts of mails contain no names of the code", () => {
  expect(sentences.length).toBeGreaterThan(100);
  expect(sentences.filter((sentence) => /[\p{Ll}][\p{Lu}]/u.test(sentence))).toEqual([]);
});

test("every path of a mailed link with a token is listed, and every listed path is used", () => {
  const linked = templates.flatMap((text) =>
    [...text.matchAll(/tokenLink\("([^"]+)"/g)].map(([, path]) => path),
  );
  expect(new Set<string | undefined>(linked)).toEqual(new Set(TOKEN_PATHS));
  expect(templates.filter((text) => /[?&](?:token|code)=/.test(text))).toEqual([]);
});
