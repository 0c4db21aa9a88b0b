import { join } from "node:path";
import { type Names, withNames } from "./names.ts";

/** The lists of the product, with the module of a new resource. */
const LISTS = [
  { file: "src/product/index.ts", module: "./samples/feature.ts" },
  { file: "src/product/web.ts", module: "./samples/web/feature.ts" },
];

/** Adds a resource to the lists of the product; returns their paths. @throws Error if a list has another form */
export async function register(root: string, names: Names): Promise<string[]> {
  for (const { file, module } of LISTS) {
    const text = await Bun.file(join(root, file)).text();
    const listed = text.replace(/(export const \w+ = \[)([^\]]*?),?\s*\] as const/, (_, start, items) =>
      [start, items.trim() === "" ? "" : `${items},`, withNames(" samples] as const", names)].join(""),
    );
    if (listed === text) throw new Error(`${file} must have a list: export const … = […] as const`);
    await Bun.write(join(root, file), withNames(`import { samples } from "${module}";\n`, names) + listed);
  }
  return LISTS.map(({ file }) => file);
}
