import type { Tx } from "../core/context.ts";
import { newRecordValue } from "../features/domains/record.ts";
import { connectionCipher } from "../features/sign-on/secrets.ts";
import { encryptSecret } from "../features/two-factor/secret.ts";
import { exactlyOne } from "../platform/db/prepared-query.ts";
import { ACME_DOMAIN, GLOBEX_DOMAIN } from "./sso/domains.ts";

/** The secret of the authenticator app of Globex's administrator, who can act without single sign-on. */
export const DEMO_AUTHENTICATOR = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";

const CLAIMS = {
  ...{ subject: "sub", email: "email", firstName: "given_name", lastName: "family_name" },
  groups: "groups",
};

/** The provider at which the people of Globex sign in. */
export type DemoProvider = { issuer: string; clientId: string; clientSecret: string };

/** Gives Acme a domain that is to be proven. */
export const plantAcmeDomain = (tx: Tx, organizationId: string) =>
  tx.db.query("INSERT INTO organization_domains (organization_id, domain, value) VALUES ($1, $2, $3)", [
    organizationId,
    ACME_DOMAIN,
    newRecordValue(),
  ]);

type Globex = { organizationId: string; adminId: string; unitId: string; roles: Map<string, string> };

/**
 * Sets up the single sign-on of Globex: a verified domain, an enabled connection, roles by groups, and a policy that holds from tomorrow on.
 */
export async function plantSignOn(tx: Tx, provider: DemoProvider, globex: Globex): Promise<void> {
  const { organizationId, adminId, unitId, roles } = globex;
  const run = (text: string, ...values: unknown[]) => tx.db.query(text, [organizationId, ...values]);
  const [connection] = (await run(
    `INSERT INTO sso_connections (organization_id, name, status, issuer, client_id, client_secret, claims, provisioning, tested_at, created_by_id)
     VALUES ($1, 'Globex ID', 'ENABLED', $2, $3, $4, $5, 'jit', now(), $6) RETURNING id`,
    provider.issuer,
    provider.clientId,
    connectionCipher(tx.app).encrypt(provider.clientSecret),
    CLAIMS,
    adminId,
  )) as { id: string }[];
  const { id } = exactlyOne([connection]) as { id: string };
  await run(
    `INSERT INTO organization_domains (organization_id, domain, value, status, verified_at, checked_at, connection_id)
     VALUES ($1, $2, $3, 'VERIFIED', now(), now(), $4)`,
    ...[GLOBEX_DOMAIN, newRecordValue(), id],
  );
  await run(
    `INSERT INTO sso_mappings (organization_id, connection_id, group_name, role_id, unit_id, created_by_id)
     VALUES ($1, $2, 'Administrators', $3, NULL, $5), ($1, $2, 'Athens', $4, $6, $5)`,
    ...[id, roles.get("ORG_ADMIN"), roles.get("UNIT_ADMIN"), adminId, unitId],
  );
  await run(
    `INSERT INTO sign_on_policies (organization_id, announced_scope, announced_two_factor, enforce_from)
     VALUES ($1, 'domains', false, now() + interval '1 day')`,
  );
  await run("INSERT INTO break_glass_members (organization_id, user_id) VALUES ($1, $2)", adminId);
  await run(
    "INSERT INTO organization_subscriptions (organization_id, plan_override) VALUES ($1, 'enterprise') ON CONFLICT (organization_id) DO UPDATE SET plan_override = 'enterprise'",
  );
  await tx.db.query("UPDATE users SET two_factor_enabled_at = now() WHERE id = $1", [adminId]);
  await tx.db.query("INSERT INTO two_factor_secrets (user_id, sealed_secret) VALUES ($1, $2)", [
    adminId,
    encryptSecret(tx.app, adminId, DEMO_AUTHENTICATOR),
  ]);
}

/** Updates the provider's address, whose port may have changed. */
export const moveProvider = ({ db }: Tx, { issuer }: DemoProvider) =>
  db.query(
    "UPDATE sso_connections SET issuer = $1 WHERE name = 'Globex ID' AND issuer LIKE 'http://127.0.0.1:%' AND issuer <> $1",
    [issuer],
  );
