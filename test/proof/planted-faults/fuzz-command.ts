/** The command that fuzzes until the first finding. */
export const fuzz = [
  ...["test/proof/fuzz/api/run.ts", "--seed", "1", "--requests", "30000"],
  ...["--findings", "1", "--shrink", "10"],
];
/** The command that fuzzes only these operations, for faults that a full run finds only after more requests. */
export const only = (...operations: string[]) => [...fuzz, "--only", operations.join()];
