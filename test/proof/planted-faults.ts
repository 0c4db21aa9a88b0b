import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A planted fault, the command that must find it, and a pattern for the expected finding in the command's output. */
export type PlantedFault = {
  name: string;
  command: string[];
  edits: [file: string, before: string, after: string][];
  expected: RegExp;
};

/** The command of each engine: fuzz until the first finding, 200 rounds of one pair, a minute of all or some faults. */
const COMMANDS: Record<string, (option: string) => string> = {
  fuzz: (option) => `fuzz/api/run.ts --seed 1 --requests 30000 --findings 1 --shrink 10 ${option}`,
  race: (pair) => `race/run.ts --seed 1 --rounds 200 --findings 1 --pair=${pair}`,
  soak: (faults) =>
    `soak/run.ts 1 ${faults === "" ? "--seed 1 --rate 8" : `--faults 8 --seed 61 --only ${faults}`}`,
};

/**
 * Twenty faults, at least one of each kind of check of the three commands. Each begins with a line `# name` and a line with its
 * engine, an option and the expected finding. An edit begins with `@ file`, its lines before with `-`, those after with `+`.
 */
export const PLANTED: PlantedFault[] = readFileSync(join(import.meta.dir, "planted-faults.txt"), "utf8")
  .split(/^# /m)
  .slice(1)
  .map((text) => {
    const [head = "", ...edits] = text.trimEnd().split("\n@ ");
    const [, name = "", engine = "", option = "", expected = ""] =
      /^(.*)\n(\w+) ?(.*?) => (.*)$/.exec(head) ?? [];
    const [script = "", pair] = (COMMANDS[engine]?.(option) ?? "").split("--pair=");
    const words = `test/proof/${script}`.trim().split(" ");
    return {
      name,
      command: pair === undefined ? words : [...words, "--pair", pair],
      edits: edits.map((edit) => {
        const [file = "", ...lines] = edit.split("\n");
        const having = (sign: string) =>
          lines.flatMap((line) => (line.startsWith(sign) ? line.slice(1) : [])).join("\n");
        return [file, having("-"), having("+")];
      }),
      expected: new RegExp(expected),
    };
  });
