import { expect, test } from "bun:test";
import { AppDocuments } from "../../support/app-documents.ts";
import { approveAs, approvedBy, beginAs, grantsOf, queryOf } from "../../support/apps.ts";
import type { Caller } from "../../support/caller.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { outcome } from "../../support/outcomes.ts";
import { startService } from "../../support/service.ts";

/* Requests of apps that a document describes (rules 46.1, 46.5, 46.7). */

const documents = await AppDocuments.start();
const t = await startService({ OAUTH: "on" });
const app = documents.publish({ client_name: "Agent" });
const allow = (organization: Organization, policy: string | null) =>
  t.sql("UPDATE organizations SET connected_apps = $2 WHERE id = $1", [organization.id, policy]);

test("an approval is of what was shown, also if the document changed meanwhile (46.5, AP16)", async () => {
  const organization = await createOrganization(t);
  await allow(organization, "any");
  const person = organization.admin;
  const changing = documents.publish({ client_name: "Before" });
  const shown = await beginAs(person, queryOf(changing.id));
  expect(shown).toMatchObject({
    client: { name: "Before", host: "127.0.0.1", source: "document" },
    redirectHost: "agent.example.com",
    otherSite: true,
  });
  Object.assign(changing.properties, {
    client_name: "After",
    redirect_uris: ["http://127.0.0.1/after"],
  });
  await approvedBy(person, shown, { organizationId: organization.id });
  expect(await grantsOf(t, person)).toMatchObject([
    {
      client_id: changing.id,
      client_name: "Before",
      client_host: "127.0.0.1",
      oauth_client_id: null,
      redirect_uri: "https://agent.example.com/callback",
    },
  ]);
  // What was read stays fresh for a while; then the page shows the new one.
  expect((await beginAs(person, queryOf(changing.id))).client.name).toBe("Before");
  await t.sql("UPDATE oauth_client_documents SET fresh_until = now() WHERE url = $1", [changing.id]);
  const redirect = "http://127.0.0.1:5000/after";
  expect(await beginAs(person, queryOf(changing.id, { redirect_uri: redirect }))).toMatchObject({
    client: { name: "After" },
    loopback: true,
    otherSite: false,
  });
});

/** What the page and an approval say of one organization. */
async function judged(person: Caller, { id }: Organization, url = t.url) {
  const caller = person.at(url);
  const shown = await beginAs(caller, queryOf(app.id));
  const found = shown.organizations.find((one: { id: string }) => one.id === id);
  return [found.allowed, found.reason, outcome(await approveAs(caller, shown, { organizationId: id }))];
}

test("page and approval agree on an app that a document describes, in every policy (46.7, AP29)", async () => {
  const organization = await createOrganization(t);
  const person = organization.admin;
  const instance = (overrides: Record<string, string>) =>
    startService({ OAUTH: "on", ...overrides }, { databaseUrl: t.databaseUrl });
  const blocking = await instance({ OAUTH_BLOCKED_APPS: app.id });
  const approving = await instance({ OAUTH_APPROVED_APPS: app.id });
  const refused = (reason: string) => [false, reason, "403 CLIENT_NOT_APPROVED"];
  const good = [true, null, "200"];
  for (const [policy, expected] of [
    ["off", refused("off")],
    ["approved", refused("not-approved")],
    [null, refused("not-approved")],
    ["any", good],
  ] as const) {
    await allow(organization, policy);
    expect([policy, await judged(person, organization)]).toEqual([policy, [...expected]]);
  }
  expect(await judged(person, organization, blocking.url)).toEqual(refused("not-approved"));
  await allow(organization, "approved");
  expect(await judged(person, organization, approving.url)).toEqual(good);
  await t.sql("INSERT INTO oauth_approved_apps (organization_id, app) VALUES ($1, $2)", [
    organization.id,
    app.id,
  ]);
  expect(await judged(person, organization)).toEqual(good);
  expect(await judged(person, organization, blocking.url)).toEqual(refused("not-approved"));
});
