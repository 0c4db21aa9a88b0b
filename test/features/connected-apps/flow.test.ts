import { expect, test } from "bun:test";
import { codeFields, refreshFields, statusOf, token } from "../../support/app-codes.ts";
import { AppDocuments } from "../../support/app-documents.ts";
import { approvedBy, beginAs, grantsOf, insertClient, queryOf, VERIFIER } from "../../support/apps.ts";
import type { Caller } from "../../support/caller.ts";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus, startService } from "../../support/service.ts";

/* A request that is approved and redeemed, through the API alone (rules 46.1 to 46.9). */

const API = "http://api.test";
const documents = await AppDocuments.start();
const t = await startService({ OAUTH: "on", OAUTH_APPS: "any", API_URL: API });

const redeem = (clientId: string, code = "") =>
  token(t, codeFields({ grantId: "", code, verifier: VERIFIER, clientId }));
const listed = async (person: Caller) =>
  expectStatus(await person.get("/api/profile/connected-apps"), 200).body;

/** Connects an app at the API for so many days. */
async function connected(clientId: string, days: number) {
  const organization = await createOrganization(t);
  const person = organization.admin;
  const shown = await beginAs(person, queryOf(clientId, { resource: `${API}/api` }));
  const choice = { organizationId: organization.id, scopes: ["todos:read"], days };
  const { code } = await approvedBy(person, shown, choice);
  return { person, tokens: expectStatus(await redeem(clientId, code), 200).body };
}

test("an app that a document describes is approved, redeems its code and calls (AP04)", async () => {
  const { id } = documents.publish({ client_name: "Agent" });
  const organization = await createOrganization(t);
  const person = organization.admin;
  const shown = await beginAs(person, queryOf(id, { resource: `${API}/api`, state: "s" }));
  const choice = { organizationId: organization.id, scopes: ["todos:read"] };
  const { code, ...told } = await approvedBy(person, shown, choice);
  expect(told).toEqual({ state: "s", iss: API });
  expect(await listed(person)).toEqual([]);

  const { status, body } = await redeem(id, code);
  expect([status, body.token_type, body.scope]).toEqual([200, "Bearer", "todos:read"]);
  expect(await statusOf(t, body.access_token)).toBe(200);
  expect(await listed(person)).toMatchObject([
    { client: { id, name: "Agent", source: "document" }, organization: { id: organization.id } },
  ]);
});

test("a grant ends after the days that were chosen, and 30 days after its last use (AP24)", async () => {
  const clientId = await insertClient(t);
  const ends: [days: number, age: number, isAlive: boolean][] = [
    [2, 1, true],
    [2, 2, false],
    [60, 29, true],
    [60, 30, false],
  ];
  for (const [days, age, isAlive] of ends) {
    const { person, tokens } = await connected(clientId, days);
    const [grant] = await grantsOf(t, person);
    await t.age("oauth_grants", { id: grant?.id }, { days: age });
    const { status } = await token(t, refreshFields(tokens.refresh_token, { client_id: clientId }));
    expect([days, age, status]).toEqual([days, age, isAlive ? 200 : 400]);
    expect([days, age, await statusOf(t, tokens.access_token)]).toEqual([days, age, isAlive ? 200 : 401]);
  }
});
