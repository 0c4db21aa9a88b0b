type Timings = { version: number; files: Record<string, number> };

/** Adds the files that have no timing yet to the timings, from those just measured, and removes deleted files. */
export async function mergeTimings(path: string, measuredPath: string, all: string[]): Promise<void> {
  const [known, measured]: Timings[] = await Promise.all([
    Bun.file(path).json(),
    Bun.file(measuredPath).json(),
  ]);
  const times = all.map((file) => [file, known?.files[file] ?? measured?.files[file]] as const);
  const files = times
    .filter(([, ms]) => ms !== undefined)
    .toSorted(([, one = 0], [, other = 0]) => other - one);
  await Bun.write(
    path,
    `${JSON.stringify({ version: known?.version, files: Object.fromEntries(files) }, null, 2)}\n`,
  );
}
