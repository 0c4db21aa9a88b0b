import { expect, test } from "bun:test";
import { AUTHORIZATIONS, approvedBy, askedFounder, insertClient, queryOf } from "../../support/apps.ts";
import { counter } from "../../support/front-door.ts";
import { outcome } from "../../support/outcomes.ts";
import { expectStatus, startService } from "../../support/service.ts";

const t = await startService({ OAUTH: "on", METRICS_PORT: "0" });
const client = await insertClient(t);

test("requests are counted by outcome, without anything of them (46.1)", async () => {
  const { organization, person, shown } = await askedFounder(t, client);
  expectStatus(
    await person.post(AUTHORIZATIONS, { query: queryOf(client, { state: "x", scope: "y" }) }),
    200,
  );
  expectStatus(await person.post(AUTHORIZATIONS, { query: queryOf(client, { response_type: "x" }) }), 400);
  expectStatus(await person.post(AUTHORIZATIONS, { query: "" }), 400);
  expectStatus(await person.post(`${AUTHORIZATIONS}/deny`, { requestToken: shown.requestToken }), 200);
  await approvedBy(person, shown, { organizationId: organization.id });
  expect(await counter(t, "oauth_requests_total")).toEqual({
    "outcome=shown": 2,
    "outcome=refused": 1,
    "outcome=denied": 1,
    "outcome=approved": 1,
  });
});

test("with OAUTH off there is no authorization", async () => {
  const { organization, person } = await askedFounder(t, client);
  const off = person.at((await startService({ OAUTH: "off" }, { databaseUrl: t.databaseUrl })).url);
  const responses = [
    await off.post(AUTHORIZATIONS, { query: queryOf(client) }),
    await off.get(`/api/oauth/unit-options?organizationId=${organization.id}`),
    await off.post(`${AUTHORIZATIONS}/approve`, {}),
    await off.post(`${AUTHORIZATIONS}/deny`, {}),
  ];
  expect(responses.map(outcome)).toEqual(Array(4).fill("404 NOT_FOUND"));
});
