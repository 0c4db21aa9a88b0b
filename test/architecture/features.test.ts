import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { features } from "../../src/app/features.ts";
import type { Feature } from "../../src/core/api/feature.ts";
import { compose } from "../../src/core/definitions/features.ts";
import { product } from "../../src/product/index.ts";

const all: readonly Feature[] = features;
const SOURCE = join(import.meta.dir, "../../src");

test("every folder of src/features has a manifest, which the service lists once", async () => {
  const folders = readdirSync(join(SOURCE, "features"));
  const list = await Bun.file(join(SOURCE, "app/features.ts")).text();
  const listed = [...list.matchAll(/"\.\.\/features\/([\w-]+)\/feature\.ts"/g)].map(([, name]) => name);
  expect(listed.toSorted()).toEqual(folders.toSorted());
  expect(new Set(all).size).toBe(folders.length + product.length);
});

test("every permission, limit, event, audited action, notification and mail belongs to one feature", () => {
  expect(() => compose([...all, { permissions: { "Todos.Read": ["unit", "List your todos"] } }], {})).toThrow(
    "permissions",
  );
});

test("no two features have a kind of job with the same name", () => {
  const queues = all.flatMap(({ jobs = [] }) => jobs.map(({ queue }) => queue));
  expect(queues).toEqual([...new Set(queues)]);
});
