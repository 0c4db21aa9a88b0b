import { afterAll, expect, test } from "bun:test";
import { type FileHandle, open, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OWN_TICKETS, report } from "../../support/helpdesk.ts";
import { pngWith } from "../../support/images.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { ownStorage } from "../../support/storage.ts";

/** The inodes of files and folders that were synced to disk. */
const synced = new Set<number>();
const handle = await open(import.meta.path, "r");
const handles = Object.getPrototypeOf(handle) as FileHandle;
await handle.close();
const { sync } = handles;
handles.sync = async function (this: FileHandle) {
  await sync.call(this);
  synced.add((await this.stat()).ino);
};
afterAll(() => {
  handles.sync = sync;
});

const { folder, keys, environment } = await ownStorage();
const directory = join(folder, "not", "there");
const t = await startService({ ...environment, STORAGE_DIR: directory });

/** Returns the folders from a file up to the temporary folder that were not synced. */
async function missing(key: string): Promise<string[]> {
  const lost: string[] = [];
  for (let place = dirname(join(folder, key)); place.startsWith(folder); place = dirname(place))
    if (!synced.has((await stat(place)).ino)) lost.push(place);
  return lost;
}

test("when a first image is stored, and a ticket's first one, every new folder is synced before the response", async () => {
  const [one, two] = [await t.person(), await t.person()];
  await report(one, {}, [pngWith()]);
  const [first = ""] = await keys();
  expect(first).toStartWith("not/there/helpdesk/");
  expect(await missing(first)).toEqual([]);

  synced.clear();
  await report(two, {}, [pngWith()]);
  const second = (await keys()).find((key) => key !== first) ?? "";
  expect((await missing(second)).filter((place) => place.startsWith(join(directory, "helpdesk")))).toEqual(
    [],
  );
  expectStatus(await two.get(OWN_TICKETS), 200);
});
