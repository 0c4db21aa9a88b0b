import { expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { localStorage } from "../../../src/platform/storage/local.ts";
import { race } from "../../support/race.ts";

// The test fails without the check of the rename in src/platform/storage/local.ts.
test("instances that write the same file at the same moment all succeed, and the file is complete", async () => {
  const folder = await mkdtemp(join(tmpdir(), "storage-"));
  const bytes = new Uint8Array(100_000).fill(7);
  for (let round = 0; round < 10; round += 1) {
    const key = `installation/${crypto.randomUUID()}`;
    await race(10, () => localStorage(folder).put(key, bytes, "text/plain"));
    expect(await new Response(await localStorage(folder).get(key, bytes.length)).bytes()).toEqual(bytes);
    expect(await readdir(dirname(join(folder, key)))).toHaveLength(round + 1);
  }
  await rm(folder, { recursive: true });
});
