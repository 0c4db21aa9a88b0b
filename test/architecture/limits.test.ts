import { expect, test } from "bun:test";
import { join } from "node:path";
import { limits } from "../../src/app/limits.ts";
import { type LimitRow, MB } from "../../src/core/definitions/limits.ts";
import { limitsPage } from "../../src/dev/limits.ts";

/*
 * Compares the table of limits with the documents and with the example of the environment.
 */

const ROOT = join(import.meta.dir, "../..");
const read = (path: string) => Bun.file(join(ROOT, path)).text();
const pages = [...new Bun.Glob("docs/rules/*.md").scanSync(ROOT)];
const rules = (await Promise.all(pages.map(read))).join("\n");

const WORDS: Record<number, string> = {
  1: "one",
  2: "two",
  3: "three",
  4: "four",
  5: "five",
  6: "six",
  10: "ten",
};
const DURATIONS: Record<number, RegExp> = {
  60: /minute|60 seconds/,
  900: /15 minutes/,
  3600: /hour/,
  7200: /two hours/,
  86400: /\bday|24 hours/,
};

/** Returns the numbers of a row; of memory those of megabytes. */
function numbersOf(row: LimitRow): number[] {
  const count = (value: number) => (row.unit === "MB" ? value / MB : value);
  if (!("levels" in row)) return [count(row.points)];
  const numbers = Object.values(row.levels).flatMap(({ max, waiting = 0 }) => [
    count(max as number),
    waiting,
  ]);
  return numbers.filter((value) => value !== 0 && value !== Infinity);
}

/** Whether a text has a number, in digits or as a word. */
const contains = (text: string, number: number): boolean =>
  new RegExp(`(?<![\\d,])${number.toLocaleString("en")}(?![\\d,]*\\d)|\\b${WORDS[number]}\\b`, "i").test(
    text,
  );

test("docs/limits.md shows the table: bun run limits", async () => {
  expect(await read("docs/limits.md")).toBe(limitsPage());
});

test.each(limits.map((row) => [row.rule, row.text, row] as const))(
  "rules %s have the numbers of: %s",
  (number, _, row) => {
    const [, rule = ""] = rules.match(new RegExp(`^- \\*\\*${number}\\*\\* (.*)$`, "m")) ?? [];
    expect(rule).not.toBe("");
    expect(numbersOf(row).filter((value) => !contains(rule, value))).toEqual([]);
    if (!("levels" in row)) expect(rule).toMatch(DURATIONS[row.perSeconds] ?? "no duration");
  },
);

test("variables have the defaults of the table", async () => {
  const [example, configuration] = [await read(".env.example"), await read("docs/operate/configuration.md")];
  const variable = limits.flatMap((row) => (row.variable === undefined ? [] : [row]));
  expect(variable).toHaveLength(6);
  for (const row of variable) {
    const value = "levels" in row ? row.levels.instance?.max : row.points;
    expect(example).toContain(`\n${row.variable}=${value}\n`);
    expect(configuration).toMatch(new RegExp(`^\\| \`${row.variable}\` +\\| ${value} +\\|`, "m"));
  }
});
