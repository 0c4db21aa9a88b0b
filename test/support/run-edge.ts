import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildEdge } from "../../src/dev/edge/build.ts";

/**
 * `bun run test:edge`: runs tests of the routes, unchanged, against the bundle in workerd; an instance on Bun runs
 * the jobs. It excludes tests of features that only Bun has: streams, images in a directory, plan files, and options
 * that are not variables. It also excludes tests of races, outages and timing, whose results depend more on database
 * and machine.
 */
const FEATURES = [
  ...[
    "accounts/registration",
    "audit/dates",
    "audit/lists",
    "audit/export",
    "helpdesk/s3",
    "helpdesk/statuses",
  ],
  ...["identities/sign-in", "invitations/accept", "invitations/invite", "members/list", "members/units"],
  ...[
    "notifications/notifications",
    "organizations/organization",
    "passkeys/passkeys",
    "profile/profile",
    "roles/roles",
    "service-accounts/request-path",
  ],
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
