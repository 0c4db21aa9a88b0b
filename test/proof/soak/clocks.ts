import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const LIBRARIES = "/usr/lib";

/** Returns the path of Debian's libfaketime, or null if it is not installed. */
export async function findLibfaketime(): Promise<string | null> {
  const folders = existsSync(LIBRARIES) ? await readdir(LIBRARIES) : [];
  const paths = ["", ...folders].map((folder) => join(LIBRARIES, folder, "faketime/libfaketimeMT.so.1"));
  return paths.find((path) => existsSync(path)) ?? null;
}

/**
 * Controls the wall clocks of some instances. Each instance reads its clock's offset from a file. Monotonic clocks
 * are not changed.
 */
export class Clocks {
  private constructor(
    private readonly library: string | null,
    private readonly folder: string,
  ) {}

  static async of(count: number, folder: string): Promise<Clocks> {
    const clocks = new Clocks(await findLibfaketime(), folder);
    for (let index = 0; index < count; index += 1) await clocks.move(index, 0);
    return clocks;
  }

  async move(index: number, seconds: number): Promise<void> {
    await writeFile(this.file(index), `${seconds < 0 ? "" : "+"}${seconds}\n`);
  }

  /** Returns the environment variables that make the clock of an instance changeable. */
  variables(index: number): Record<string, string> {
    if (this.library === null) return {};
    return {
      LD_PRELOAD: this.library,
      FAKETIME_TIMESTAMP_FILE: this.file(index),
      FAKETIME_CACHE_DURATION: "1",
      // The monotonic clock stays correct, because timers and deadlines use it, and no one can set it on a real
      // machine.
      DONT_FAKE_MONOTONIC: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    };
  }

  private file = (index: number) => join(this.folder, `clock-${index}`);
}
