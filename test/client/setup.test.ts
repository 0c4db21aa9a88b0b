import { expect, test } from "bun:test";
import { createSetupClient } from "../../src/client/setup.ts";
import { connectionTo, setupLink, startProvider } from "../support/connections.ts";
import { newName } from "../support/domains.ts";
import { createOrganization } from "../support/organizations.ts";
import { startService } from "../support/service.ts";

const t = await startService();

test("the client of a setup link sets up what the link is for, and has no other endpoints", async () => {
  const provider = await startProvider();
  const organization = await createOrganization(t);
  const { email, setter } = await setupLink(t, organization, "domains", "connection");
  const setup = createSetupClient({ baseUrl: `${t.url}/`, token: setter.accessToken ?? "" });
  expect(await setup.request("GET /api/auth/sign-on-setup")).toMatchObject({
    organization: { name: "Acme" },
    email,
    redirectUri: null,
  });
  const { domain } = await setup.request("POST /api/organization/domains", { body: { domain: newName() } });
  const { data } = await setup.request("GET /api/organization/domains");
  expect(data.map((row) => row.domain)).toEqual([domain]);
  const { id } = await setup.request("POST /api/organization/connections", { body: connectionTo(provider) });
  const { url } = await setup.request("POST /api/organization/connections/{id}/test", { path: { id } });
  expect(url).toStartWith(provider.issuer);
  await setup.request("POST /api/auth/sign-on-setup/finish");
  const error = await setup.request("GET /api/auth/sign-on-setup").catch((cause) => cause);
  expect([error.code, error.status]).toEqual(["UNAUTHENTICATED", 401]);
});

test("the types of the client have only the endpoints of setup links", () => {
  const setup = createSetupClient({ baseUrl: t.url, token: "setup_x" });
  const others = () => [
    // @ts-expect-error a link reads no profile
    setup.request("GET /api/profile"),
    // @ts-expect-error a link removes no domain
    setup.request("DELETE /api/organization/domains/{id}", { path: { id: "x" } }),
    // @ts-expect-error a link makes no mapping
    setup.request("GET /api/organization/mappings"),
  ];
  expect(others).toBeFunction();
});
