import { expect, test } from "bun:test";
import { createClient } from "../../src/client/index.ts";
import { startService } from "../support/service.ts";

test("the settings are typed, and requested without a token", async () => {
  const t = await startService({ REGISTRATION: "invited" });
  const sent: (string | null)[] = [];
  const client = createClient({
    baseUrl: t.url,
    fetch: Object.assign(
      (url: string | URL | Request, init?: RequestInit) => {
        if (String(url).endsWith("/settings")) sent.push(new Headers(init?.headers).get("authorization"));
        return fetch(url, init);
      },
      { preconnect: fetch.preconnect },
    ),
  });
  const { registration, organizationCreation, providers, botCheck } = await client.settings();
  const mode: "open" | "domains" | "invited" | "off" = registration;
  expect([mode, organizationCreation, providers, botCheck]).toEqual(["invited", "everyone", [], null]);
  expect(sent).toEqual([null]);
  client.close();
});
