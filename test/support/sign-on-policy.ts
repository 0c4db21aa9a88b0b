import { passTest } from "./connections.ts";
import { createOrganizationBy } from "./organizations.ts";
import { expectStatus, type Service } from "./service.ts";
import { insertConnection } from "./sign-on.ts";
import { addDomain } from "./sso.ts";
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
  await addDomain(t, organization, domain, connectionId);
  await passTest(t, connectionId, admin);
  return { organization, admin, connectionId, domain, code, rewind };
}
