import { expect, test } from "bun:test";
import { settle } from "../../src/client/index.ts";
import { insertClient, queryOf, toldBy } from "../support/apps.ts";
import { Jar } from "../support/browser.ts";
import { createOrganization } from "../support/organizations.ts";
import { idOf } from "../support/outcomes.ts";
import { startService } from "../support/service.ts";

const t = await startService({ OAUTH: "on", OAUTH_APPS: "any" });

/** Opens a tab of an organization administrator, and counts how often a proof of identity is asked for. */
async function signedIn() {
  const organization = await createOrganization(t);
  const { admin } = organization;
  const asked: string[][] = [];
  const jar = new Jar(t.url);
  const tab = jar.tab({
    async onReauthenticate({ methods }) {
      asked.push(methods);
      await tab.request("POST /api/profile/reauthenticate", { body: { password: admin.account.password } });
      return true;
    },
  });
  await tab.signIn(admin.account);
  return { organization, admin, tab, asked };
}

test("`authorizations` reads a request, approves what was chosen after a proof of identity, and denies", async () => {
  const { organization, admin, tab, asked } = await signedIn();
  const query = queryOf(await insertClient(t, { name: "Reporter" }));
  const shown = await tab.authorizations.begin(query);
  expect([shown.client.name, shown.redirectHost, shown.loopback]).toEqual([
    "Reporter",
    "agent.example.com",
    false,
  ]);
  await t.sql("UPDATE session_proofs SET proved_at = now() - interval '11 minutes' WHERE user_id = $1", [
    idOf(admin),
  ]);
  await tab.refresh();
  const { requestToken } = shown;
  const choice = { requestToken, organizationId: organization.id, scopes: ["todos:read"], days: 1 };
  const { redirectTo } = await tab.authorizations.approve(choice);
  expect(toldBy(redirectTo)).toMatchObject({ code: expect.stringMatching(/^mosc_/), state: "a state" });
  expect(asked).toEqual([["password"]]);

  const other = await tab.authorizations.begin(query);
  expect(toldBy((await tab.authorizations.deny(other.requestToken)).redirectTo)).toMatchObject({
    error: "access_denied",
  });
});

test("a fault of the request has typed details", async () => {
  const { tab } = await signedIn();
  const query = queryOf(await insertClient(t), { code_challenge_method: "plain" });
  const outcome = await settle(tab.authorizations.begin(query));
  if (outcome.ok || outcome.error.code !== "INVALID_AUTHORIZATION_REQUEST") throw new Error("No fault");
  const { error, parameter, redirectTo } = outcome.error.details;
  expect([error, parameter]).toEqual(["invalid_request", "code_challenge_method"]);
  expect(toldBy(redirectTo ?? "")).toMatchObject({ error: "invalid_request" });
});
