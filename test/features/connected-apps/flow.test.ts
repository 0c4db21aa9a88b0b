import { expect, test } from "bun:test";
import { AppDocuments } from "../../support/app-documents.ts";
import {
  approvedBy,
  beginAs,
  grantsOf,
  insertClient,
  queryOf,
  REDIRECT,
  useApp,
  VERIFIER,
} from "../../support/apps.ts";
import type { Caller } from "../../support/caller.ts";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus, startService } from "../../support/service.ts";

/* A request that is approved and redeemed, through the API alone (rules 46.1 to 46.9). */

const API = "http://api.test";
const documents = await AppDocuments.start();
const t = await startService({ OAUTH: "on", OAUTH_APPS: "any", API_URL: API });

/** Redeems a code or a refresh token, as an app does. */
async function token(clientId: string, fields: Record<string, string>) {
  const body = new URLSearchParams({ client_id: clientId, ...fields });
  const response = await fetch(`${t.url}/api/oauth/token`, { method: "POST", body });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}
const redeem = (clientId: string, code = "") =>
  token(clientId, {
    grant_type: "authorization_code",
    code,
    code_verifier: VERIFIER,
    redirect_uri: REDIRECT,
  });
const listed = async (person: Caller) =>
  expectStatus(await person.get("/api/profile/connected-apps"), 200).body;

/** Connects an app at the API for so many days. */
async function connected(clientId: string, days: number) {
  const organization = await createOrganization(t);
  const person = organization.admin;
  const shown = await beginAs(person, queryOf(clientId, { resource: `${API}/api` }));
  const choice = { organizationId: organization.id, scopes: ["todos:read"], days };
  const { code } = await approvedBy(person, shown, choice);
  const { status, body } = await redeem(clientId, code);
  expect(status).toBe(200);
  return { person, organization, tokens: body };
}
const works = async (accessToken = "") => (await useApp(t, accessToken).get("/api/todos")).status === 200;

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
  expect(await works(body.access_token)).toBe(true);
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
    const refreshed = await token(clientId, {
      grant_type: "refresh_token",
      refresh_token: tokens.refresh_token ?? "",
    });
    expect([days, age, refreshed.status]).toEqual([days, age, isAlive ? 200 : 400]);
    expect([days, age, await works(tokens.access_token)]).toEqual([days, age, isAlive]);
  }
});
