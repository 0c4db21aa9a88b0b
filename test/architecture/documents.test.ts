import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** Checks that the rules, files and paths to which the documents refer exist. */
const ROOT = join(import.meta.dir, "../..");
const MAX_README_LINES = 130;
/** Matches paths that the reader creates, and patterns such as `src/features/<word>/routes.ts`. */
const EXAMPLE = /[<>*{}…]|notes/;

const read = async (glob: string) =>
  Promise.all(
    [...new Bun.Glob(glob).scanSync(ROOT)]
      .filter((file) => !file.includes("node_modules/"))
      .map(async (file) => ({ file, text: await Bun.file(join(ROOT, file)).text() })),
  );
const documents = [...(await read("*.md")), ...(await read("docs/**/*.md"))];
const textOf = (name: string) => documents.find(({ file }) => file === name)?.text ?? "";
const rulesText = documents
  .filter(({ file }) => file.startsWith("docs/rules/"))
  .map(({ text }) => text)
  .join("\n");

test("every rule that is cited in documents or code exists", async () => {
  const rules = new Set([...rulesText.matchAll(/\*\*(\d+\.\d+)\*\*/g)].map(([, rule]) => rule));
  const sections = new Set([...rulesText.matchAll(/^## (\d+) /gm)].map(([, section]) => section));
  const sources = [...(await read("{src,test}/**/*.{ts,tsx}")), ...(await read("{sql,migrations}/**/*.sql"))];
  const cited = [...sources, ...documents].flatMap(({ file, text }) =>
    // Matches "rules 5.4", "rules.md, 5.4" and lists such as "rules 2.1, 2.4 and 3.7", also over several lines of a
    // comment.
    [
      ...text.matchAll(/\brules(?:\.md,)?[\s/*]+(\d+(?:\.\d+)?(?:(?:,| and|,? or| to)[\s/*]+\d+\.\d+)*)/g),
    ].flatMap(([, list = ""]) => [...list.matchAll(/\d+(?:\.\d+)?/g)].map(([number]) => ({ file, number }))),
  );
  expect(cited.length).toBeGreaterThan(50);
  expect(cited.filter(({ number }) => !(number.includes(".") ? rules : sections).has(number))).toEqual([]);
  const numbers = [...rulesText.matchAll(/^- \*\*(\d+\.\d+)\*\*/gm)].map(([, rule]) => rule);
  expect(numbers.length).toBe(new Set(numbers).size);
});

test("every rule to which another rule refers exists", () => {
  const text = rulesText;
  const numbers = new Set([...text.matchAll(/^- \*\*(\d+\.\d+)\*\*/gm)].map(([, rule]) => rule));
  const cited = [...text.matchAll(/(?<=\(|, |: |and |to )(\d+\.\d+)(?=[,.;:)]| and | to )/g)];
  expect(cited.length).toBeGreaterThan(100);
  expect(cited.map(([, rule]) => rule).filter((rule) => !numbers.has(rule))).toEqual([]);
});

test("every decision that is cited in documents or code exists", async () => {
  const numbers = new Set(
    [...new Bun.Glob("*.md").scanSync(join(ROOT, "docs/decisions"))].map((f) => f.slice(0, 4)),
  );
  const sources = [...(await read("{src,test}/**/*.{ts,tsx}")), ...(await read("{sql,migrations}/**/*.sql"))];
  const cited = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/docs\/decisions\/(\d+)/g)].map(([, number = ""]) => ({ file, number })),
  );
  expect(cited.length).toBeGreaterThan(5);
  expect(cited.filter(({ number }) => !numbers.has(number))).toEqual([]);
});

test("every link to a file of the repository resolves", () => {
  const links = documents.flatMap(({ file, text }) =>
    [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target = ""]) => ({
      file,
      target: normalize(join(dirname(file), target)),
    })),
  );
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter(({ target }) => !existsSync(join(ROOT, target)))).toEqual([]);
});

test("every path in the documents exists in the repository", () => {
  const paths = documents
    .filter(({ file }) => file !== "CHANGELOG.md")
    .flatMap(({ file, text }) =>
      [...text.matchAll(/(?<![\w/.-])(?:src|sql|test|migrations|docs|\.ci)\/[^\s`'",;:()|[\]]*/g)].map(
        ([path]) => ({
          file,
          path: path.replace(/[.,]$/, ""),
        }),
      ),
    )
    .filter(({ path }) => !EXAMPLE.test(path));
  expect(paths.length).toBeGreaterThan(30);
  expect(paths.filter(({ path }) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test("no document has the marks of an unfinished merge", () => {
  expect(
    documents.filter(({ text }) => /^(?:<{7}|={7}|>{7})(?: |$)/m.test(text)).map(({ file }) => file),
  ).toEqual([]);
});

/** The command blocks of all documents, with the lines in which they begin. */
const commands = [...documents, ...(await read("{src,test}/**/*.md"))].flatMap(({ file, text }) =>
  [...text.matchAll(/^ *```(?:sh|bash|shell|console)\n(.*?)^ *```/gms)].map(({ index, 1: block = "" }) => ({
    place: `${file}:${text.slice(0, index).split("\n").length}`,
    block,
  })),
);

test("every command block of a document is a script of sh without placeholders", () => {
  expect(commands.length).toBeGreaterThan(20);
  const problems = commands.flatMap(({ place, block }) => {
    const { exitCode, stderr } = Bun.spawnSync(["sh", "-n"], { stdin: Buffer.from(block) });
    const placeholders = block.match(/<[A-Za-z][\w -]*>|…/g) ?? [];
    return exitCode === 0 && placeholders.length === 0 ? [] : [{ place, error: `${stderr}`, placeholders }];
  });
  expect(problems).toEqual([]);
});

test("the README stays short", () => {
  expect(textOf("README.md").split("\n").length - 1).toBeLessThanOrEqual(MAX_README_LINES);
});
