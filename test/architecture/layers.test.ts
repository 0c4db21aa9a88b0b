import { expect, test } from "bun:test";
import { dirname, join, normalize } from "node:path";

/**
 * Checks the layers of docs/architecture.md: a file imports from its own layer or lower ones, and there are no cycles
 * of files or of features. Type imports, `declare module` and workers by `new URL` count as imports.
 */
const ROOT = join(import.meta.dir, "../..");
const LAYERS = ["platform", "core", "kit", "features", "product", "app", "dev"];
/** Files directly in src/ are entry points, the highest layer of the service. */
const ENTRY = LAYERS.length;
/** The client runs in browsers and is not a layer of the service: it knows the service only by the OpenAPI document. */
const CLIENT = "src/client/";
const CLIENT_LAYER = ENTRY + 1;
/** The layer of the console, which imports only the client. */
const WEB = "src/web/";
/** The parts of the product that belong to the console. */
const WEB_OF_PRODUCT = /^src\/product\/(?:web\.ts|[^/]+\/web\/)/;
const isWeb = (file: string) => file.startsWith(WEB) || WEB_OF_PRODUCT.test(file);
const WEB_LAYER = ENTRY + 2;

/** The folders of core, lowest first; "" stands for the files directly in it. */
const CORE_FOLDERS = [
  "definitions",
  "manifest",
  "forms",
  "access",
  "",
  "idempotency",
  "authorize",
  "effects",
  "plans",
  "accounts",
  "api",
];
/** The folders of the console, lowest first. All other folders are areas, which do not import each other. */
const WEB_FOLDERS = ["texts", "theme", "lib", "ui", "areas", "shell", ""];

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

const layerOf = (file: string) => {
  const [, folder = "", ...rest] = file.split("/");
  if (file.startsWith(CLIENT)) return CLIENT_LAYER;
  if (isWeb(file)) return WEB_LAYER;
  return rest.length === 0 ? ENTRY : LAYERS.indexOf(folder);
};
const featureOf = (file: string) => /^src\/(?:features|product)\/([^/]+)\//.exec(file)?.[1] ?? null;
/** Returns the folder whose queries are imported: a feature, or a part of core. */
const ownerOfQueries = (to: string) => /^#sql\/(?:product\/)?([^/]+)/.exec(to)?.[1];
const arrow = ({ from, to }: Import) => `${from} -> ${to}`;

/** Returns the first cycle that is found, or null. */
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
const features = new Set(files.flatMap((file) => featureOf(file) ?? []));

const isTheme = (from: string, to: string) =>
  from.startsWith("src/dev/web/") && to === `${WEB}theme/theme.ts`;

test("every source file belongs to a layer", () => {
  expect(files.filter((file) => layerOf(file) < 0)).toEqual([]);
  expect(local.length).toBeGreaterThan(500);
});

test("no file imports from a layer above its own", () => {
  // An exception: the build of the console writes the CSS variables of its theme.
  const wrong = local.filter(({ from, to }) => layerOf(from) < layerOf(to) && !isTheme(from, to));
  expect(wrong.map(arrow)).toEqual([]);
});

test("no file of core imports from a folder of core above its own", () => {
  const isCore = (file: string) => file.startsWith("src/core/");
  const levelOf = (file: string) => CORE_FOLDERS.indexOf(/^src\/core\/([^/]+)\//.exec(file)?.[1] ?? "");
  expect(files.filter((file) => isCore(file) && levelOf(file) < 0)).toEqual([]);
  const ofCore = local.filter(({ from, to }) => isCore(from) && isCore(to));
  expect(ofCore.length).toBeGreaterThan(100);
  expect(ofCore.filter(({ from, to }) => levelOf(from) < levelOf(to)).map(arrow)).toEqual([]);
});

test("no file of the console imports from a folder above its own, or from another area", () => {
  const folderOf = (file: string) => /^src\/web\/([^/]+)\//.exec(file)?.[1] ?? "";
  const levelOf = (file: string) =>
    WEB_FOLDERS.indexOf(WEB_FOLDERS.includes(folderOf(file)) ? folderOf(file) : "areas");
  const ofConsole = local.filter(({ from, to }) => from.startsWith(WEB) && to.startsWith(WEB));
  expect(ofConsole.length).toBeGreaterThan(100);
  const wrong = ofConsole.filter(
    ({ from, to }) =>
      levelOf(from) < levelOf(to) || (levelOf(from) === levelOf(to) && folderOf(from) !== folderOf(to)),
  );
  expect(wrong.map(arrow)).toEqual([]);
});

test("the client imports nothing from the service, and vice versa", () => {
  const ours = local.filter(({ from }) => !isWeb(from));
  const crossing = ours.filter(({ from, to }) => from.startsWith(CLIENT) !== to.startsWith(CLIENT));
  expect(crossing.map(arrow)).toEqual([]);
});

test("the console imports the client and nothing from the service", () => {
  const foreign = imports.filter(({ from, to }) => isWeb(from) && !isWeb(to) && !to.startsWith(CLIENT));
  expect(foreign.map(arrow)).toEqual([]);
});

test("source files have no import cycles", () => {
  expect(findCycle(graph(local.map(({ from, to }) => [from, to] as const)))).toBeNull();
});

test("features have no import cycles", () => {
  const pairs = local.flatMap(({ from, to }) => {
    const [one, other] = [featureOf(from), featureOf(to)];
    return one !== null && other !== null && one !== other ? [[one, other] as const] : [];
  });
  expect(findCycle(graph(pairs))).toBeNull();
});

test("a feature imports neither the queries nor the routes of another feature", () => {
  const foreign = imports.filter(({ from, to }) => {
    const own = featureOf(from);
    if (own === null) return false;
    const owner = ownerOfQueries(to);
    if (owner !== undefined) return features.has(owner) && owner !== own;
    return /routes\.ts$/.test(to) && featureOf(to) !== own;
  });
  expect(foreign.map(arrow)).toEqual([]);
});

test("core imports no queries of a feature, and platform no queries at all", () => {
  const wrong = imports.filter(({ from, to }) => {
    const owner = ownerOfQueries(to);
    if (owner === undefined) return false;
    return from.startsWith("src/platform/") || (from.startsWith("src/core/") && features.has(owner));
  });
  expect(wrong.map(arrow)).toEqual([]);
});

test("outside of effects, locks and savepoints, every statement is awaited (docs/architecture.md)", () => {
  const pipelining = [...sources].filter(([, text]) =>
    /\b(effects|pipelined)\b\??\.query|\btx\.effects\b/.test(text),
  );
  const others = pipelining.filter(([file]) => !file.startsWith("src/core/effects/")).map(([file]) => file);
  expect(others).toEqual(["src/core/locks.ts", "src/platform/db/parts.ts"]);
  // Of services, only those of invitations send reads together (docs/decisions/0020).
  const together = [...sources].flatMap(([file, text]) => (/\ballSettledOrThrow\(/.test(text) ? [file] : []));
  expect(together).toEqual([
    "src/core/authorize/authorize.ts",
    "src/features/invitations/invite.ts",
    "src/features/members/assignments.ts",
    "src/platform/db/local-settings.ts",
  ]);
});

test("only src/app reads the configuration of the whole application", () => {
  const config = local.filter(
    ({ from, to }) => to === "src/app/config.ts" && layerOf(from) < LAYERS.indexOf("app"),
  );
  expect(config.map(arrow)).toEqual([]);
});

/** Rooms of core and platform that a few features share (src/kit/README.md). All else they import from #kit. */
const ROOMS = [
  ...["core/accounts", "core/access", "core/plans", "core/forms"],
  ...["platform/http", "platform/images", "platform/storage", "platform/tracing"],
];

test("features import from #kit and from the rooms that its README names", async () => {
  const readme = await Bun.file(join(ROOT, "src/kit/README.md")).text();
  expect(ROOMS.filter((room) => !readme.includes(`src/${room}`))).toEqual([]);
  const isShared = (to: string) => ROOMS.some((room) => to.startsWith(`src/${room}/`));
  const around = [...sources].flatMap(([from, text]) =>
    featureOf(from) === null
      ? []
      : [...text.matchAll(/\bfrom "((?:\.\.\/)+(?:core|platform)\/[^"]+)"/g)]
          .map(([, specifier = ""]) => ({ from, to: normalize(join(dirname(from), specifier)) }))
          .filter(({ to }) => !isShared(to)),
  );
  expect(around.map(arrow)).toEqual([]);
});

test("the sample resource, what new:feature writes, and a product need #kit alone", async () => {
  const places = ["src/features/todos/*.ts", "src/product/**/*.ts", "src/dev/new-feature/templates/**/*.txt"];
  const files = places.flatMap((place) => [...new Bun.Glob(place).scanSync(ROOT)]);
  expect(files.length).toBeGreaterThan(20);
  const texts = await Promise.all(files.map((file) => Bun.file(join(ROOT, file)).text()));
  expect(files.filter((_, index) => texts[index]?.includes("#kit/inside"))).toEqual([]);
});

test("features import from #kit what it exports, also if a room has it", () => {
  const exported = new Set<string>();
  for (const [file, text] of sources)
    if (file.startsWith("src/kit/"))
      for (const [, names = "", module = ""] of text.matchAll(
        /export (?:type )?\{([^}]*)\} from "\.\.\/([^"]+)"/g,
      ))
        for (const name of names.split(",").filter((name) => name.trim() !== ""))
          exported.add(`${module} ${name.replace(/\btype\b/, "").trim()}`);
  expect(exported.size).toBeGreaterThan(100);
  const around = [...sources].flatMap(([file, text]) =>
    featureOf(file) === null
      ? []
      : [
          ...text.matchAll(/import (?:type )?\{([^}]*)\} from "(?:\.\.\/)+((?:core|platform)\/[^"]+)"/g),
        ].flatMap(([, names = "", module]) =>
          names
            .split(",")
            .map((name) => name.replace(/\btype\b|\bas .*/g, "").trim())
            .filter((name) => exported.has(`${module} ${name}`))
            .map((name) => `${file}: ${name}`),
        ),
  );
  expect(around).toEqual([]);
});
