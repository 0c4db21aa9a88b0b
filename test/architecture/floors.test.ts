import { expect, test } from "bun:test";
import { dirname, join, normalize } from "node:path";

/**
 * The floors of docs/architecture.md: a file imports its own floor or lower ones, never higher; files form no cycle, and
 * neither do features. Type imports count: a type from above is an arrow as well.
 */
const ROOT = join(import.meta.dir, "../..");
const FLOORS = ["platform", "core", "features", "app", "dev"];
/** Files of src/ itself are entry points, above everything. */
const ENTRY = FLOORS.length;

type Import = { from: string; to: string };

const files = [...new Bun.Glob("src/**/*.{ts,tsx}").scanSync(ROOT)].sort();
const sources = new Map(
  await Promise.all(files.map(async (file) => [file, await Bun.file(join(ROOT, file)).text()] as const)),
);

const IMPORT = /(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+|declare module\s+|new URL\(\s*)"([^"]+)"/g;
const imports: Import[] = [...sources].flatMap(([from, text]) =>
  [...text.matchAll(IMPORT)].flatMap(([, specifier = ""]) => {
    if (specifier.startsWith("#")) return [{ from, to: specifier }];
    return specifier.startsWith(".") ? [{ from, to: normalize(join(dirname(from), specifier)) }] : [];
  }),
);

const floorOf = (file: string) => {
  const [, folder = "", ...rest] = file.split("/");
  return rest.length === 0 ? ENTRY : FLOORS.indexOf(folder);
};
const featureOf = (file: string) => /^src\/features\/([^/]+)\//.exec(file)?.[1] ?? null;
const arrow = ({ from, to }: Import) => `${from} -> ${to}`;

/** The first way from a node back to itself, if there is one. */
function findCycle(edges: Map<string, Set<string>>): string[] | null {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (node: string): string[] | null => {
    const start = path.indexOf(node);
    if (start >= 0) return [...path.slice(start), node];
    if (done.has(node)) return null;
    path.push(node);
    for (const next of edges.get(node) ?? []) {
      const cycle = visit(next);
      if (cycle !== null) return cycle;
    }
    path.pop();
    done.add(node);
    return null;
  };
  for (const node of edges.keys()) {
    const cycle = visit(node);
    if (cycle !== null) return cycle;
  }
  return null;
}

function graph(pairs: (readonly [string, string])[]): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>();
  for (const [from, to] of pairs) edges.set(from, (edges.get(from) ?? new Set()).add(to));
  return edges;
}

const local = imports.filter(({ to }) => sources.has(to));

test("every file stands on a floor", () => {
  expect(files.filter((file) => floorOf(file) < 0)).toEqual([]);
  expect(local.length).toBeGreaterThan(500);
});

test("no file imports from a floor above its own", () => {
  expect(local.filter(({ from, to }) => floorOf(from) < floorOf(to)).map(arrow)).toEqual([]);
});

test("files do not import each other in a circle", () => {
  expect(findCycle(graph(local.map(({ from, to }) => [from, to] as const)))).toBeNull();
});

test("features do not import each other in a circle", () => {
  const pairs = local.flatMap(({ from, to }) => {
    const [one, other] = [featureOf(from), featureOf(to)];
    return one !== null && other !== null && one !== other ? [[one, other] as const] : [];
  });
  expect(findCycle(graph(pairs))).toBeNull();
});

test("a feature imports neither the queries nor the routes of another", () => {
  const features = new Set(files.flatMap((file) => featureOf(file) ?? []));
  const foreign = imports.filter(({ from, to }) => {
    const own = featureOf(from);
    if (own === null) return false;
    const queries = /^#sql\/([^/]+)/.exec(to)?.[1];
    if (queries !== undefined) return features.has(queries) && queries !== own;
    return /routes\.ts$/.test(to) && featureOf(to) !== own;
  });
  expect(foreign.map(arrow)).toEqual([]);
});

test("the platform knows no queries of the business, and only the configuration's floor reads the whole environment", () => {
  const business = imports.filter(
    ({ from, to }) => from.startsWith("src/platform/") && to.startsWith("#sql/"),
  );
  expect(business.map(arrow)).toEqual([]);
  const config = local.filter(({ from, to }) => to === "src/app/config.ts" && floorOf(from) < 3);
  expect(config.map(arrow)).toEqual([]);
});
