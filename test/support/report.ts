/** The output of a run of `bun test`, and its exit code. */
type Run = { output: string; exitCode: number };

/**
 * Summarizes runs of `bun test`: lists the failed tests with their files; the last line counts passed and failed
 * tests. Bun counts a file that could not be loaded as a failed test.
 */
export function summary(runs: Run[]): string {
  const failures = runs.flatMap(({ output }) => failuresIn(output));
  const [passed, failed] = [sum(runs, countPassed), sum(runs, countFailed)];
  return [
    ...(failures.length > 0 ? ["", "Failed:", ...failures.map((failure) => `  ${failure}`)] : []),
    `${passed} passed, ${failed} failed`,
  ].join("\n");
}

/** Returns the files with a failed test. */
export const failedFiles = ({ output }: Run): string[] => [
  ...new Set(failuresIn(output).map((failure) => failure.slice(0, failure.indexOf(": ")))),
];

/** What fails once in many rounds of a race is a fault of the service. */
const RACES = /races\.test\.ts$/;
const MOST_UNSTEADY = 3;

/** Whether these files with failed tests may have failed by chance, so that a second run is worth it: they are few, and no races. */
export const mayBeChance = (files: string[]): boolean =>
  files.length > 0 && files.length <= MOST_UNSTEADY && !files.some((file) => RACES.test(file));

/**
 * Returns the result of a run whose failed files ran a second time. Tests that pass only then count as passed and are named:
 * each is a defect of that test.
 */
export function afterSecondRun(first: Run, second: Run): Run {
  if (second.exitCode !== 0)
    return { output: `${first.output}\n${second.output}`, exitCode: second.exitCode };
  const unsteady = failuresIn(first.output);
  console.log(
    ["", "Unsteady, passed only when run again:", ...unsteady.map((name) => `  ${name}`)].join("\n"),
  );
  return { output: ` ${countPassed(first) + countFailed(first)} pass\n 0 fail`, exitCode: 0 };
}

const sum = (runs: Run[], count: (run: Run) => number) => runs.reduce((total, run) => total + count(run), 0);
const count = (output: string, word: string) =>
  Number(output.match(new RegExp(`^\\s*(\\d+) ${word}$`, "m"))?.[1] ?? 0);
const countPassed = ({ output }: Run) => count(output, "pass");
/** A test run that ended early printed no totals. */
const countFailed = ({ output, exitCode }: Run) => count(output, "fail") || (exitCode === 0 ? 0 : 1);

const FILE = /^(?:::group::)?(\S+\.test\.tsx?):$/;
const FAILED = /^\(fail\) (.*?)(?: \[[\d.]+ ?m?s\])?$/;
const UNHANDLED = "# Unhandled error between tests";
/** After this line Bun repeats the failed tests without their files. */
const REPETITION = /^\d+ tests? failed:$/;
const STACK_FRAME = /^\s+at .*?([^\s(]+\.test\.tsx?):\d+/;

function failuresIn(output: string): string[] {
  const failures = new Set<string>();
  let file = "";
  /** The message of an error outside of tests, until its stack trace names a file. */
  let unhandled: string | null = null;
  for (const line of output.split("\n").map(Bun.stripANSI)) {
    if (REPETITION.test(line)) break;
    file = FILE.exec(line)?.[1] ?? file;
    const name = FAILED.exec(line)?.[1];
    if (name !== undefined) failures.add(`${file}: ${name}`);
    if (line === UNHANDLED) unhandled = "";
    if (unhandled === "" && /^\w*[eE]rror: /.test(line)) unhandled = line;
    const place = unhandled ? STACK_FRAME.exec(line)?.[1] : undefined;
    if (place === undefined) continue;
    failures.add(`${place}: ${unhandled}`);
    unhandled = null;
  }
  return [...failures];
}
