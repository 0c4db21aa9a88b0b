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

for (const language of ["en", "el"]) {
  const all = new Map<string, Record<string, string>>();
  const files = [`texts/${language}/*.ts`, `*/texts-${language}.ts`].flatMap((glob) => [
    ...new Bun.Glob(glob).scanSync({ cwd: CONSOLE }),
  ]);
  for (const file of files)
    for (const [name, texts] of Object.entries(await import(join(CONSOLE, file))))
      all.set(name, texts as never);

  test(`the console says what each permission allows: ${language}`, () => {
    const named = [...all].flatMap(([name, texts]) =>
      /permissionTexts$/i.test(name) ? Object.keys(texts) : [],
    );
    expect(named.toSorted()).toEqual(namesOf("permissions"));
  });

  test(`the console has a sentence and a short name for each audited action: ${language}`, () => {
    const short = { ...all.get("actionTexts"), ...all.get("platformActionTexts") };
    const missing = namesOf("audit").filter(
      (name) => !(name in short && name in (all.get("sentenceTexts") ?? {})),
    );
    expect(missing).toEqual([]);
  });

  test(`the console has a text for each type of notification: ${language}`, () => {
    const texts = all.get("notificationTexts") ?? {};
    expect(namesOf("notifications").filter((name) => !(name in texts))).toEqual([]);
  });
}

test("a text of an area contains values of the data; what is missing is left out; a path encodes them, and needs all", () => {
  const data = { name: "Drill <b>", id: "a/b?c", roles: ["x"] };
  expect(filled("{name} was assigned to you{missing}{roles}{toString}.", data)).toBe(
    "Drill <b> was assigned to you.",
  );
  expect(filledPath("/equipment/{id}", data)).toBe("/equipment/a%2Fb%3Fc");
  expect(filledPath("/equipment/{id}/{missing}", data)).toBeNull();
});
