/** The fuzz, to its first finding. */
export const fuzz = [
  ...["test/proof/fuzz/api/run.ts", "--seed", "1", "--requests", "30000"],
  ...["--findings", "1", "--shrink", "10"],
];
/** To what these operations alone do, for what a full run finds after more requests. */
export const only = (...operations: string[]) => [...fuzz, "--only", operations.join()];
