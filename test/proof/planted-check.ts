import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT, withCopy } from "./planted-copy.ts";
import { PLANTED, type PlantedFault } from "./planted-faults.ts";

/**
 * `bun run proof planted:check`: checks that the code of all planted faults refers only to names that exist. A
 * fault whose code fails in every request proves nothing. Faults that do not edit the same text are checked
 * together.
 */

/**
 * Compiler errors for names, properties, imports and modules that do not exist. Other type errors may be part of a
 * fault.
 */
const UNKNOWN_NAME = /error TS(2304|2305|2307|2339|2551|2552|2724|18004):/;

type Group = { files: Map<string, string>; faults: Map<string, string[]> };

let problems = 0;
let left = PLANTED;
let groups = 0;
while (left.length > 0) {
  const group: Group = { files: new Map(), faults: new Map() };
  const remaining: PlantedFault[] = [];
  for (const fault of left) if (!(await add(group, fault))) remaining.push(fault);
  if (remaining.length === left.length) {
    for (const { name } of remaining) console.log(`${name}: its edits do not apply`);
    problems += remaining.length;
    break;
  }
  groups += 1;
  for (const line of await unknownNames(group)) {
    problems += 1;
    const [file = ""] = line.split("(");
    console.log(`${(group.faults.get(file) ?? []).join(", or ")}: ${line}`);
  }
  left = remaining;
}
console.log(`${PLANTED.length} faults checked in ${groups} groups, ${problems} problems`);
process.exit(problems === 0 ? 0 : 1);

/** Adds the edits of a fault to a group. Returns false if they no longer apply after the edits of other faults. */
async function add({ files, faults }: Group, { name, edits }: PlantedFault): Promise<boolean> {
  const edited = new Map<string, string>();
  for (const [file, before, after] of edits) {
    const text = edited.get(file) ?? files.get(file) ?? (await readFile(join(ROOT, file), "utf8"));
    if (!text.includes(before)) return false;
    edited.set(
      file,
      text.replace(before, () => after),
    );
  }
  for (const [file, text] of edited) {
    files.set(file, text);
    faults.set(file, [...(faults.get(file) ?? []), name]);
  }
  return true;
}

/** Compiles a copy of the source tree with a group of faults. Returns the errors for unknown names. */
function unknownNames({ files }: Group): Promise<string[]> {
  return withCopy(async (folder) => {
    for (const [file, text] of files) await writeFile(join(folder, file), text);
    const compiler = Bun.spawn(
      [join(ROOT, "node_modules/typescript/bin/tsc"), "--noEmit", "--pretty", "false"],
      {
        cwd: folder,
        stdout: "pipe",
      },
    );
    const output = await new Response(compiler.stdout).text();
    return output.split("\n").filter((line) => UNKNOWN_NAME.test(line));
  });
}
