import { expect, test } from "bun:test";
import { join } from "node:path";
import { features } from "../../src/app/features.ts";
import type { Feature } from "../../src/core/api/feature.ts";
import { filled, filledPath } from "../../src/web/lib/filled.ts";
import { namesOfProduct } from "../support/product-names.ts";

const CONSOLE = join(import.meta.dir, "../../src/web");

/** Names that the service declares. A product's are in the manifests of its areas (src/web/lib/features.ts). */
const namesOf = (kind: "permissions" | "audit" | "notifications") => {
  const ofProduct = namesOfProduct(kind);
  const all = (features as readonly Feature[]).flatMap((feature) => Object.keys(feature[kind] ?? {}));
  return all.filter((name) => !ofProduct.has(name)).toSorted();
};

/** The names of the texts that the console has, by their export. Both languages have them: the compiler checks it. */
const all = new Map<string, string[]>();
for (const glob of ["texts/*.ts", "*/texts.ts"])
  for (const file of new Bun.Glob(glob).scanSync({ cwd: CONSOLE }))
    for (const [name, texts] of Object.entries((await import(join(CONSOLE, file))) as Record<string, object>))
      all.set(name, Object.keys("en" in texts ? (texts.en as object) : texts));
const named = (name: string) => new Set(all.get(name));

test("the console says what each permission allows", () => {
  const permissions = [...all].flatMap(([name, texts]) => (/permissionTexts$/i.test(name) ? texts : []));
  expect(permissions.toSorted()).toEqual(namesOf("permissions"));
});

test("the console has a sentence and a short name for each audited action", () => {
  const short = named("actionTexts").union(named("platformActionTexts"));
  const sentences = named("sentenceTexts");
  const missing = namesOf("audit").filter((name) => !(short.has(name) && sentences.has(name)));
  expect(missing).toEqual([]);
});

test("the console has a text for each type of notification", () => {
  const texts = named("notificationTexts");
  expect(namesOf("notifications").filter((name) => !texts.has(name))).toEqual([]);
});

test("a text of an area contains values of the data; what is missing is left out; a path encodes them, and needs all", () => {
  const data = { name: "Drill <b>", id: "a/b?c", roles: ["x"] };
  expect(filled("{name} was assigned to you{missing}{roles}{toString}.", data)).toBe(
    "Drill <b> was assigned to you.",
  );
  expect(filledPath("/equipment/{id}", data)).toBe("/equipment/a%2Fb%3Fc");
  expect(filledPath("/equipment/{id}/{missing}", data)).toBeNull();
});
