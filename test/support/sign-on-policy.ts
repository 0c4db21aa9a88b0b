import type { Caller } from "./caller.ts";
import { createOrganizationBy } from "./organizations.ts";
import { idOf } from "./outcomes.ts";
import { expectStatus, type Service } from "./service.ts";
import { insertConnection } from "./sign-on.ts";
import { withTwoFactor } from "./two-factor.ts";

export const POLICY = "/api/organization/sign-on";

/** Creates an organization with a tested connection and a verified domain, whose founder has shown two factors. */
export async function readyOrganization(t: Service) {
  const { person: admin, code, rewind } = await withTwoFactor(t);
  const organization = await createOrganizationBy(t, admin);
  const shown = { password: admin.account.password, code: code() };
  expectStatus(await admin.post("/api/profile/reauthenticate", shown), 204);
  expectStatus(await admin.refresh(), 200);
  await rewind();
  const connectionId = await insertConnection(t, organization);
  const domain = `d-${crypto.randomUUID().slice(0, 8)}.com`;
  await t.sql(
    `INSERT INTO organization_domains (organization_id, domain, value, status, connection_id, verified_at)
     VALUES ($1, $2, 'x', 'VERIFIED', $3, now())`,
    [organization.id, domain, connectionId],
  );
  await passTest(t, admin, connectionId);
  return { organization, admin, connectionId, domain, code, rewind };
}

/** Inserts a test of a connection that a person has passed. */
export const passTest = (t: Service, person: Caller, connectionId: string, hoursAgo = 0) =>
  t.sql(
    `INSERT INTO sso_tests (connection_id, user_id, tested_version, passed_at, expires_at)
     SELECT id, $2, tested_version, now() - make_interval(hours => $3), now() FROM sso_connections WHERE id = $1`,
    [connectionId, idOf(person), hoursAgo],
  );
