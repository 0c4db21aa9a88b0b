import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../../examples/inspections/product.json";
import { readConfig } from "../../../src/app/config.ts";
import { readProduct } from "../../../src/app/features.ts";
import { builtInRoles } from "../../../src/core/access/catalog.ts";
import { SERVICE_SEGMENTS, urlConflict } from "../../../src/core/manifest/warnings.ts";
import { PRODUCT_KEY } from "../../support/product.ts";

const ROOT = join(import.meta.dir, "../../..");
const folder = mkdtempSync(join(tmpdir(), "manifests-"));
afterAll(() => rmSync(folder, { recursive: true }));
const fileOf = (content: unknown) => {
  const path = join(folder, `${crypto.randomUUID()}.json`);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
};
/** Returns the faults of the manifest of the tests with other parts. */
const faultsOf = (changed: object | string, http = true) =>
  readProduct(fileOf(typeof changed === "string" ? changed : { ...manifest, ...changed }), http).faults;

/** What the service needs to start. */
const REQUIRED = {
  APP_URL: "https://app.test",
  DATABASE_URL: "postgres://user@localhost/service",
  JWT_SECRET: "jwt-secret-0123456789-0123456789-",
  JOBS_ENCRYPTION_KEY: "jobs-key-0123456789-0123456789-01",
  TWO_FACTOR_ENCRYPTION_KEY: "two-factor-0123456789-0123456789",
  PRODUCT_KEY,
  MAIL_FROM: "no-reply@app.test",
  SMTP_HOST: "localhost",
  SMTP_PORT: "587",
};
const text = { en: "A text" };
const many = <Entry>(count: number, name: (nth: number) => string, entry: Entry) =>
  Object.fromEntries(Array.from({ length: count }, (_, nth) => [name(nth), entry]));
const letter = (nth: number) => String.fromCharCode(65 + Math.floor(nth / 26), 65 + (nth % 26));
const unit = { scope: "unit", text };

test.each<[string, object | string, string[]]>([
  ["no JSON", "{", [folder]],
  ["another text", "\ufffd", [folder]],
  ["more than 64 KB", `${JSON.stringify(manifest)}${" ".repeat(65_536)}`, [folder]],
  ["no object", "[]", ["body must be an object"]],
  ["null", "null", ["body must be an object"]],
  ["nothing", "{}", ["name is required", "url is required", "permissions is required"]],
  ["an unknown field", { colour: 1 }, ["colour should not exist"]],
  ["an unknown field inside", { name: { en: "A", fr: "B" } }, ["name.fr should not exist"]],
  ["no English text", { name: { el: "Α" } }, ["name.en is required"]],
  ["an empty text", { name: { en: " " } }, ["name.en should not be empty"]],
  [
    "a long text",
    { name: { en: "x".repeat(201) } },
    ["name.en must be shorter than or equal to 200 characters"],
  ],
  ["two lines", { name: { en: "a\nb" } }, ["name.en must not contain control characters"]],
  ["reordered text", { name: { en: "a\u202eb" } }, ["name.en must not contain control characters"]],
  ["a relative url", { url: "/x" }, ["url must be"]],
  ["another protocol", { url: "javascript:alert(1)" }, ["url must be"]],
  ["credentials", { url: "https://a:b@x.example" }, ["url must be"]],
  ["a query", { url: "https://x.example/?a" }, ["url must be"]],
  ["a fragment", { url: "https://x.example/#" }, ["url must be"]],
  [
    "no permission",
    { permissions: {} },
    [
      "permissions should not be empty",
      "events.inspection.created.permission",
      "events.inspection.completed.permission",
      "pages.0.permission",
    ],
  ],
  [
    "names that every object has",
    {
      limits: { constructor: { text } },
      features: { toString: { text } },
      audit: { A: { target: "constructor", text } },
    },
    [
      "limits.constructor must not have a name of the service",
      "features.toString must not have a name of the service",
      "audit.A.target must not be a target of the service",
      "pages.0.feature",
    ],
  ],
  [
    "a name in lower case",
    { permissions: { ...manifest.permissions, "inspections.read": unit } },
    ["permissions.inspections.read must have a name"],
  ],
  [
    "mixed scripts",
    { permissions: { ...manifest.permissions, "Inspеctions.Read": unit } },
    ["permissions.Inspеctions.Read must have a name"],
  ],
  [
    "an entity of the service",
    { permissions: { ...manifest.permissions, "Todos.Judge": unit } },
    ["permissions.Todos.Judge must not"],
  ],
  [
    "an unknown scope",
    { permissions: { ...manifest.permissions, "Aa.Bb": { ...unit, scope: "all" } } },
    ["permissions.Aa.Bb.scope must be one of the following values: unit, organization"],
  ],
  [
    "41 permissions",
    {
      permissions: {
        ...manifest.permissions,
        ...many(37, (nth) => `Aa.B${letter(nth).toLowerCase()}`, unit),
      },
    },
    ["permissions must contain no more than 40 elements"],
  ],
  [
    "a hidden name",
    `{"permissions":{"__proto__":${JSON.stringify(unit)}},"name":{"en":"A"},"url":"https://x.example"}`,
    ["permissions.__proto__ must have a name"],
  ],
  [
    "a hidden field",
    `{"permissions":{"Aa.Bb":${JSON.stringify(unit)}},"name":{"en":"A","__proto__":{}},"url":"https://x.example"}`,
    ["name.__proto__ should not exist"],
  ],
  [
    "a very deep value",
    `{"permissions":{"Aa.Bb":${JSON.stringify(unit)}},"name":{"en":"A"},"url":"https://x.example","x":${"[".repeat(30_000)}${"]".repeat(30_000)}}`,
    ["x should not exist"],
  ],
  ["a limit of the service", { limits: { members: { text } } }, ["limits.members must not"]],
  [
    "an unknown period",
    { limits: { things: { text, per: "day" } } },
    ["limits.things.per must be one of the following values: month"],
  ],
  ["a feature of the service", { features: { audit: { text } }, pages: [] }, ["features.audit must not"]],
  [
    "21 features",
    { features: { ...manifest.features, ...many(20, (nth) => `a${letter(nth)}`, { text }) } },
    ["features must contain no more than 20 elements"],
  ],
  [
    "an action of the service",
    { audit: { UNIT_DELETED: { target: "thing", text } } },
    ["audit.UNIT_DELETED must not"],
  ],
  [
    "a target of the service",
    { audit: { THING_DONE: { target: "user", text } } },
    ["audit.THING_DONE.target must not"],
  ],
  ["a wrong target", { audit: { THING_DONE: { target: "A", text } } }, ["audit.THING_DONE.target must be"]],
  [
    "an event of the service",
    { events: { "unit.created": { permission: "Inspections.Read", text } } },
    ["events.unit.created must not"],
  ],
  [
    "a permission of the service",
    { events: { "a.b": { permission: "Units.Read", text } } },
    ["events.a.b.permission must be one of the permissions of the manifest"],
  ],
  [
    "a notification of the service",
    { notifications: { WELCOME: { text } } },
    ["notifications.WELCOME must not"],
  ],
  [
    "a link to another host",
    { notifications: { AA: { text, link: "//evil.example" } } },
    ["notifications.AA.link must begin"],
  ],
  [
    "a link that leads out",
    { notifications: { AA: { text, link: "/a/../../x" } } },
    ["notifications.AA.link must begin"],
  ],
  [
    "a page elsewhere",
    { pages: [{ path: "https://evil.example", text, permission: "Inspections.Read" }] },
    ["pages.0.path must begin"],
  ],
  [
    "an unknown feature",
    { pages: [{ path: "/", text, permission: "Inspections.Read", feature: "audit" }] },
    ["pages.0.feature must be one of the features of the manifest"],
  ],
  [
    "eleven pages",
    { pages: Array.from({ length: 11 }, () => ({ path: "/", text, permission: "Inspections.Read" })) },
    ["pages must contain no more than 10 elements"],
  ],
])("a manifest with %s is refused with the path of each fault", (_, changed, expected) => {
  const faults = faultsOf(changed);
  expect(faults).toHaveLength(expected.length);
  for (const [nth, start] of expected.entries()) expect(faults[nth]).toStartWith(start);
});

test("a manifest may leave out what it does not need, and `http:` is for development", () => {
  const { name, permissions } = manifest;
  const small = { name, permissions, url: "http://localhost:5173/" };
  expect(readProduct(fileOf(small), true).product).toMatchObject({ url: "http://localhost:5173", pages: [] });
  expect(readProduct(fileOf(small), false).faults).toEqual([
    "url must be an https: URL without query, fragment and credentials",
  ]);
});

test("a fault of the file as a whole names the file, and a wrong name shows the form of a good one", () => {
  const file = fileOf("{");
  expect(readProduct(file, true).faults).toEqual([`${file} is not valid JSON`]);
  expect(readProduct(folder, true).faults).toEqual([`${folder} cannot be read`]);
  const audit = { deviceLent: { target: "device", text } };
  expect(faultsOf({ audit, limits: { Devices: { text } } })).toEqual([
    "limits.Devices must have a name of the form camelCase, at most 40 characters, such as inspections",
    "audit.deviceLent must have a name of the form UPPER_SNAKE, at most 60 characters, such as INSPECTION_DELETED",
  ]);
});

test("a url without a path, or with a path of the service, is valid and warned about", async () => {
  const conflictOf = (path: string) => urlConflict({ url: `https://app.example.com${path}` });
  expect([conflictOf("/"), conflictOf("/api"), conflictOf("/Sign-In/x"), conflictOf("/inspections")]).toEqual(
    [
      "url has no path of its own, such as /inspections",
      "url has a path of the service: /api",
      "url has a path of the service: /Sign-In",
      null,
    ],
  );
  const { code, lines } = await run("product-manifest.ts", [
    "check",
    fileOf({ ...manifest, url: "https://a.example/" }),
  ]);
  expect([code, lines[0]]).toEqual([
    0,
    "warning: url has no path of its own, such as /inspections; the pages of the product then need a host of their own",
  ]);
});

test("every path of the console is known as one of the service", async () => {
  const sources = [...new Bun.Glob("src/web/**/*.{ts,tsx}").scanSync(ROOT)].map((file) =>
    Bun.file(join(ROOT, file)),
  );
  const texts = await Promise.all(sources.map((file) => file.text()));
  const paths = texts.flatMap((source) => [
    ...source.matchAll(/(?:\bpage\(\s*|\bpath: )"(\/[^"]*)"|"(\/[^"]*)": lazyPage\(/g),
  ]);
  const segments = new Set(paths.map(([, route, page]) => (route ?? page ?? "").split("/")[1] ?? ""));
  expect(segments.size).toBeGreaterThan(25);
  expect([...segments].filter((segment) => segment !== "" && !SERVICE_SEGMENTS.has(segment))).toEqual([]);
});

/** Runs a command of the service; returns its exit code and the lines of standard error. */
async function run(script: string, given: string[], env: Record<string, string> = {}) {
  const child = Bun.spawn(["bun", join(ROOT, "src", script), ...given], {
    env: { PATH: process.env.PATH, ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const output = await new Response(child.stderr).text();
  return { code: await child.exited, lines: output.split("\n").map((line) => line.trim()) };
}

test("`start`, `migrate` and `bun run product check` name the same faults and end with 1", async () => {
  const file = fileOf({ ...manifest, url: "x", limits: { members: { text } }, colour: "red" });
  const checked = await run("product-manifest.ts", ["check", file]);
  const faults = checked.lines.filter(Boolean);
  expect([checked.code, faults.length]).toEqual([1, 3]);
  const url = "postgres://nobody@127.0.0.1:1/none";
  for (const script of ["server.ts", "migrate.ts", "jobs.ts"]) {
    const given = script === "jobs.ts" ? ["list"] : [];
    const { code, lines } = await run(script, given, { PRODUCT_FILE: file, DATABASE_URL: url });
    expect(code).toBe(1);
    expect(lines).toEqual(expect.arrayContaining(faults.map((fault) => `PRODUCT_FILE ${fault}`)));
  }
});

test("a plan file with unknown limits or features starts, and each is warned about with the known names", () => {
  const plan = { key: "free", limits: { inspectionz: 6, inspections: 6 }, features: ["audit", "reminder"] };
  const file = fileOf({ plans: [plan], defaultPlan: "free" });
  const read = readConfig({ ...REQUIRED, BILLING_PLANS_FILE: file });
  expect(read.problems).toBeNull();
  const warnings = (read.config?.warnings ?? []).filter((warning) =>
    warning.startsWith("BILLING_PLANS_FILE"),
  );
  expect(warnings).toEqual([
    expect.stringMatching(/ free limits inspectionz, which is unknown here .* members, .*, inspections$/),
    expect.stringMatching(
      / free has the feature reminder, which is unknown here .* audit, .*, inspectionReports$/,
    ),
  ]);
});

test("the names of the manifest follow those of the service, and the built-in roles have them", () => {
  const [admin, unitAdmin, member] = builtInRoles.map(({ permissions }) =>
    permissions.filter((name) => name.startsWith("Inspections.")),
  );
  const all = Object.keys(manifest.permissions) as never[];
  expect(admin).toEqual(all);
  expect(unitAdmin).toEqual(all);
  expect(member).toEqual(["Inspections.Read"] as never[]);
  expect(builtInRoles[0]?.permissions.slice(-4)).toEqual(all);
});
