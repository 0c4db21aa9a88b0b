type Timings = { version: number; files: Record<string, number> };

/** Adds the files that have no timing yet to the timings, from those just measured, and removes deleted files. */
export async function mergeTimings(path: string, measuredPaths: string[], all: string[]): Promise<void> {
  const [known, ...measured]: Timings[] = await Promise.all(
    [path, ...measuredPaths].map((one) => Bun.file(one).json()),
  );
  const timeOf = (file: string) =>
    known?.files[file] ?? measured.find(({ files }) => files[file] !== undefined)?.files[file];
  const times = all.map((file) => [file, timeOf(file)] as const);
  const files = times
    .filter(([, ms]) => ms !== undefined)
    .toSorted(([, one = 0], [, other = 0]) => other - one);
  await Bun.write(
    path,
    `${JSON.stringify({ version: known?.version, files: Object.fromEntries(files) }, null, 2)}\n`,
  );
}
