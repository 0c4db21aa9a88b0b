import { expect, test } from "bun:test";
import { connectionJobs } from "../../../src/features/sign-on/jobs.ts";
import { typesOf } from "../../support/notifications.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { startService } from "../../support/service.ts";
import { insertConnection } from "../../support/sign-on.ts";

const t = await startService();
const run = () => connectionJobs[0]?.run(t.running, {} as never);
const told = async ({ admin }: Organization, type: string): Promise<number> =>
  (await typesOf(admin)).filter((one) => one === type).length;

test("administrators are told once a day that the provider of a connection keeps failing", async () => {
  const org = await createOrganization(t);
  const id = await insertConnection(t, org);
  const fail = (failures: number) =>
    t.sql(
      `UPDATE sso_connections SET failures = $2, failing_since = now(), last_error_code = 'CLIENT_REFUSED',
         last_error_at = now(), last_error_detail = 'refused' WHERE id = $1`,
      [id, failures],
    );
  await fail(4);
  await run();
  expect(await told(org, "CONNECTION_FAILING")).toBe(0);
  await fail(5);
  await run();
  await run();
  expect(await told(org, "CONNECTION_FAILING")).toBe(1);
  expect((await t.mailTo(org.admin.email)).at(-1)?.subject).toBe("Sign-in with Acme keeps failing");
  await t.sql("UPDATE sso_connections SET warned_at = now() - interval '25 hours' WHERE id = $1", [id]);
  await run();
  expect(await told(org, "CONNECTION_FAILING")).toBe(2);
});

test("administrators are told 30, 7 and 1 days before a secret expires, each once", async () => {
  const org = await createOrganization(t);
  const id = await insertConnection(t, org);
  const counts: number[] = [];
  for (const days of [31, 29, 20, 6, 3, 0.9, 0.5]) {
    await t.sql(
      "UPDATE sso_connections SET client_secret = 'x', client_secret_expires_at = now() + make_interval(secs => $2) WHERE id = $1",
      [id, days * 86_400],
    );
    await run();
    counts.push(await told(org, "CONNECTION_SECRET_EXPIRING"));
  }
  expect(counts).toEqual([0, 1, 1, 2, 2, 3, 3]);
});
