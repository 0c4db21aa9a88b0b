import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildEdge } from "../../src/dev/edge/build.ts";

/**
 * `bun run test:edge [--short]`: runs tests of the routes, unchanged, against the bundle in workerd; an instance on Bun runs
 * the jobs. It excludes tests of features that only Bun has: streams, images in a directory, plan files, and options
 * that are not variables. It also excludes tests of races, outages and timing, whose results depend more on database
 * and machine.
 */

/** With `--short`, as for each change: what uses a part of which the edge has its own. At night all run. */
const SHORT = [
  ...["accounts/registration", "audit/dates", "audit/export", "helpdesk/s3"],
  ...["connected-apps/token", "connected-apps/mcp", "identities/sign-in", "invitations/accept"],
  ...[
    "members/list",
    "passkeys/passkeys",
    "service-accounts/request-path",
    "sessions/sign-in",
    "todos/todos",
  ],
];
const ALL = [
  ...SHORT,
  ...["audit/lists", "helpdesk/statuses", "invitations/invite", "members/units"],
  ...["connected-apps/mcp-calls", "connected-apps/metadata", "connected-apps/revoke"],
  ...["connected-apps/token-clients", "connected-apps/token-requests"],
  ...["notifications/notifications", "organizations/organization", "profile/profile", "roles/roles"],
  ...["two-factor/sign-in", "units/moves", "users/list"],
];

/** Tests with a product, whose manifest is part of a bundle of its own. */
const SHORT_OF_PRODUCT = ["product-api/check"];
const OF_PRODUCT = [...SHORT_OF_PRODUCT, "product-api/changes"];
const PRODUCT_FILE = join(import.meta.dir, "../../examples/inspections/product.json");

const fileOf = (name: string) => `features/${name}.test.ts`;
const wanted = process.argv.slice(2);

/** Builds a bundle with these variables, and runs test files against it. Returns the exit code. */
async function run(files: string[], environment: Record<string, string> = {}): Promise<number> {
  if (files.length === 0) return 0;
  Object.assign(process.env, environment);
  const bundle = await mkdtemp(join(tmpdir(), "edge-bundle-"));
  try {
    const { bytes, gzipped } = await buildEdge(bundle);
    console.log(`The bundle has ${bytes} bytes, ${gzipped} gzipped`);
    const tests = Bun.spawn(["bun", join(import.meta.dir, "run.ts"), ...files], {
      env: { ...process.env, TEST_EDGE: bundle },
      stdio: ["inherit", "inherit", "inherit"],
    });
    return await tests.exited;
  } finally {
    await rm(bundle, { recursive: true, force: true });
  }
}

const isOfProduct = (file: string) => file.includes("product-api/");
const isShort = wanted[0] === "--short";
const listed = isShort ? [...SHORT, ...SHORT_OF_PRODUCT] : [...ALL, ...OF_PRODUCT];
const files = wanted.length > 0 && !isShort ? wanted : listed.map(fileOf);
const codes = [
  await run(files.filter((file) => !isOfProduct(file))),
  await run(files.filter(isOfProduct), { PRODUCT_FILE }),
];
process.exitCode = Math.max(...codes);
