import { expect, test } from "bun:test";
import {
  approveAs,
  approvedBy,
  askedFounder,
  beginAs,
  insertClient,
  insertGrant,
  queryOf,
} from "../../support/apps.ts";
import { eventsIn, idOf } from "../../support/outcomes.ts";
import { statementsOf } from "../../support/pool-statements.ts";
import { expectStatus, startService } from "../../support/service.ts";

/* How many apps act for an account (rules 46.9). */

const t = await startService({ OAUTH: "on" });
const client = await insertClient(t);

test("a sixth grant of an app ends the one that was not used for longest (46.9)", async () => {
  const { organization, person } = await askedFounder(t, client);
  const organizationId = organization.id;
  const place = { userId: idOf(person), organizationId, oauthClientId: client, resource: "mcp" as const };
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
  const given = [];
  for (const days of [1, 5, 2, 3])
    given.push(await insertGrant(t, { ...place, redeemedAt: ago(9), lastUsedAt: ago(days) }));
  given.push(await insertGrant(t, { ...place, redeemedAt: ago(4) }));
  // Neither another resource nor another organization or app counts, nor what has ended, expired or idled.
  await insertGrant(t, { ...place, resource: "api", redeemedAt: ago(20) });
  await insertGrant(t, { ...place, oauthClientId: await insertClient(t), redeemedAt: ago(20) });
  await insertGrant(t, { ...place, redeemedAt: ago(31) });
  await insertGrant(t, { ...place, redeemedAt: ago(20), expiresAt: ago(1) });
  await approvedBy(person, await beginAs(person, queryOf(client)), { organizationId });
  const ended = await t.sql(
    "SELECT id, end_reason FROM oauth_grants WHERE user_id = $1 AND ended_at IS NOT NULL",
    [idOf(person)],
  );
  expect(ended).toEqual([{ id: given[1]?.grantId, end_reason: "replaced" }]);
  const events = await eventsIn(t, organization, "CONNECTED_APP_REVOKED");
  expect(events).toMatchObject([
    { actor_id: null, target_id: given[1]?.grantId, metadata: { via: "replaced", userId: idOf(person) } },
  ]);
  // Those whose code may still be redeemed count.
  for (let count = 0; count < 7; count += 1)
    await approvedBy(person, await beginAs(person, queryOf(client)), { organizationId });
  const live = await t.sql(
    "SELECT id FROM oauth_grants WHERE user_id = $1 AND client_id = $2 AND resource = 'mcp' AND redeemed_at IS NULL AND ended_at IS NULL",
    [idOf(person), client],
  );
  expect(live).toHaveLength(5);
});

test("an account has at most 50 live grants (46.9)", async () => {
  const { organization, person, shown } = await askedFounder(t, client);
  const place = { userId: idOf(person), organizationId: organization.id };
  const first = await insertGrant(t, { ...place, clientId: "https://agent-0.example.com/a" });
  for (let count = 1; count < 50; count += 1)
    await insertGrant(t, { ...place, clientId: `https://agent-${count}.example.com/a` });
  const refused = expectStatus(await approveAs(person, shown, { organizationId: organization.id }), 409);
  expect(refused.body).toMatchObject({ code: "CONFLICT", details: { max: 50 } });
  await t.sql("UPDATE oauth_grants SET ended_at = now(), end_reason = 'person' WHERE id = $1", [
    first.grantId,
  ]);
  await approvedBy(person, shown, { organizationId: organization.id });
});

test("the page of a person with 50 organizations costs as many statements as that of one (46.7)", async () => {
  const { person } = await askedFounder(t, client);
  const count = async () => {
    const statements = await statementsOf(t, () => beginAs(person, queryOf(client)));
    return statements.length;
  };
  const ofOne = await count();
  await t.sql(
    `WITH made AS (INSERT INTO organizations (name, slug) SELECT 'Org ' || n, gen_random_uuid()::text FROM generate_series(1, 49) n RETURNING id)
     INSERT INTO memberships (organization_id, user_id) SELECT id, $1 FROM made`,
    [idOf(person)],
  );
  const { organizations } = await beginAs(person, queryOf(client));
  expect(organizations).toHaveLength(50);
  expect(organizations[9]).toMatchObject({ name: "Org 9", allowed: true, scopes: [] });
  expect(await count()).toBe(ofOne);
  expect(ofOne).toBeLessThan(4);
});
