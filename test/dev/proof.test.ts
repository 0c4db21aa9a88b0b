import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { scripts } from "../../package.json";
import { PROOFS } from "../proof/proofs.ts";

const ROOT = join(import.meta.dir, "../..");
const proof = (...args: string[]) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["bun", "test/proof/command.ts", ...args], {
    cwd: ROOT,
  });
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
};

test("package.json has at most 26 commands, and CONTRIBUTING.md describes each", async () => {
  const names = Object.keys(scripts);
  expect(names.length).toBeLessThanOrEqual(26);
  const text = await Bun.file(join(ROOT, "CONTRIBUTING.md")).text();
  expect(names.filter((name) => !text.includes(`\`bun run ${name}`))).toEqual([]);
});

test("`bun run proof --help` lists every proof in a line, and the file of each proof exists", () => {
  const { exitCode, stdout } = proof("--help");
  expect(exitCode).toBe(0);
  expect(
    stdout
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(" ")[0]),
  ).toEqual(Object.keys(PROOFS));
  expect(Object.values(PROOFS).filter(({ file }) => !existsSync(join(ROOT, file)))).toEqual([]);
});

test("`bun run proof` fails for an unknown name, and passes options on to a known one", () => {
  expect(proof("nothing")).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('no proof "nothing"'),
  });
  expect(proof("fuzz:images", "10", "3")).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("10 inputs"),
  });
});
