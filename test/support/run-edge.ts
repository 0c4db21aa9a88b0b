import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildEdge } from "../../src/dev/edge/build.ts";

/**
 * `bun run test:edge`: tests of the routes, unchanged, against the bundle in workerd; an instance on Bun beside it runs
 * the jobs. Left out are tests of what only Bun's instance does or takes: streams, options that are no variables, plan
 * files, a clock or a provider in its process; and those of races and outages, which say more about the database.
 */
const FEATURES = [
  ...["accounts/registration", "audit/lists", "audit/export", "helpdesk/create", "helpdesk/s3"],
  ...[
    "invitations/accept",
    "invitations/invite",
    "members/list",
    "members/units",
    "notifications/notifications",
  ],
  ...["organizations/organization", "personal-data/content", "profile/profile", "roles/roles"],
  ...["sessions/sign-in", "todos/todos", "two-factor/sign-in", "units/moves", "users/list"],
];

const bundle = await mkdtemp(join(tmpdir(), "edge-bundle-"));
try {
  const { bytes, gzipped } = await buildEdge(bundle);
  console.log(`The bundle has ${bytes} bytes, ${gzipped} gzipped`);
  const files =
    process.argv.length > 2 ? process.argv.slice(2) : FEATURES.map((name) => `features/${name}.test.ts`);
  const run = Bun.spawn(["bun", join(import.meta.dir, "run.ts"), ...files], {
    env: { ...process.env, TEST_EDGE: bundle },
    stdio: ["inherit", "inherit", "inherit"],
  });
  process.exitCode = await run.exited;
} finally {
  await rm(bundle, { recursive: true, force: true });
}
