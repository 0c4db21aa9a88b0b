import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { PreparedQuery } from "../../src/platform/db/prepared-query.ts";

/** Checks that queries require a reach by their types, and which files may create reaches and confirmed permissions. */
const ROOT = join(import.meta.dir, "../..");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");

/** Returns the source of a feature that counts members with these reach parameters. */
const listing = (parameters: string) => `
import * as members from "#sql/members";
import type { ReachUnits } from "#src/core/access/reach";
import type { OrganizationCall } from "#src/core/context";

export async function countMembers({ db, organizationId }: OrganizationCall, units: ReachUnits) {
  void units;
  return members.countMembers.run({ organizationId, search: null, member: null, ${parameters} }, db);
}
`;

/** Returns the type errors of each source text as `TS…` codes. */
async function typeErrors<Name extends string>(texts: Record<Name, string>): Promise<Record<Name, string[]>> {
  // Inside the repository, so that `#sql/*` and the packages resolve. Other runs of tsc skip the folder because its
  // name starts with a dot.
  const folder = await mkdtemp(join(ROOT, "test/architecture/.reach-"));
  try {
    const names = Object.keys(texts) as Name[];
    for (const name of names) await Bun.write(join(folder, `${name}.ts`), texts[name]);
    const files = names.map((name) => `${name}.ts`);
    await Bun.write(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: "../../../tsconfig.json", files, include: [] }),
    );
    const tsc = Bun.spawn([TSC, "--checkers", "1", "-p", folder], {
      cwd: ROOT,
      stdout: "pipe",
      stderr: "inherit",
    });
    const output = await new Response(tsc.stdout).text();
    await tsc.exited;
    const errors = [...output.matchAll(/(\w+)\.ts\(\d+,\d+\): error (TS\d+)/g)];
    const errorsOf = (name: Name) => errors.flatMap(([, file, code = ""]) => (file === name ? [code] : []));
    return Object.fromEntries(names.map((name) => [name, errorsOf(name)])) as Record<Name, string[]>;
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("a query without its reach parameter is a type error", async () => {
  const errors = await typeErrors({
    reach: listing("units"),
    leftOut: listing(""),
    nothing: listing("units: null"),
    unchecked: listing('units: ["a unit"]'),
  });
  expect(errors).toEqual({ reach: [], leftOut: ["TS2741"], nothing: ["TS2322"], unchecked: ["TS2741"] });
});

test("only the access modules create reaches and confirmed permissions", async () => {
  const using = async (word: RegExp) => {
    const files = [...new Bun.Glob("src/**/*.{ts,tsx}").scanSync(ROOT)].sort();
    const texts = await Promise.all(files.map((file) => Bun.file(join(ROOT, file)).text()));
    return files.filter((_, index) => word.test(texts[index] ?? ""));
  };
  expect(await using(/\basReachUnits\(/)).toEqual([
    "src/core/access/effective-permissions.ts",
    "src/core/access/reach.ts",
    "src/features/units/including-deleted.ts",
  ]);
  expect(await using(/\bnew ConfirmedPermissions\(/)).toEqual(["src/core/authorize/authorize.ts"]);
  expect(
    await using(/\bas (unknown as )?(ReachUnits|Reach|Reach\["units"\]|ConfirmedPermissions)\b/),
  ).toEqual(["src/core/access/reach.ts"]);
});

test("every nullable query parameter that is compared with units is a reach or a known filter", async () => {
  const plain: string[] = [];
  for (const file of [...new Bun.Glob("sql/**/*.queries.ts").scanSync(ROOT)].sort())
    for (const [, name = ""] of (await Bun.file(join(ROOT, file)).text()).matchAll(
      /^ {2}(\w*(?:[uU]nits|visible))\?: stringArray \| null \| void;$/gm,
    ))
      plain.push(`${file} ${name}`);
  // The filter `unit` of audit events; their reach is the parameter `units`.
  expect([...new Set(plain)]).toEqual(["sql/audit.queries.ts actorUnits"]);
});

test("first pages of lists are not exported, so they are read only through their list, which requires a reach", async () => {
  const exported: string[] = [];
  for (const file of new Bun.Glob("sql/**/*.queries.ts").scanSync(ROOT))
    for (const [name, value] of Object.entries(await import(join(ROOT, file))))
      if (value instanceof PreparedQuery && /^(first|total)[A-Z]/.test(name))
        exported.push(`${file} ${name}`);
  expect(exported).toEqual([]);
});
