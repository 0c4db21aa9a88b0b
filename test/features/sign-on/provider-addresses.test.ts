import { expect, test } from "bun:test";
import { isAllowedProvider } from "../../../src/features/sign-on/issuer.ts";
import { providerAddresses } from "../../../src/features/sign-on/provider-calls.ts";
import { boundedFetch } from "../../../src/platform/http/bounded-fetch.ts";
import { parseNetworks } from "../../../src/platform/http/public-address.ts";

const CONFIG = {
  production: true,
  ssoAllowedNetworks: [],
  appUrl: "https://app.example.com",
  apiUrl: "https://api.example.com",
};
const allowed = (url: string, config: Partial<typeof CONFIG> = {}) =>
  isAllowedProvider(new URL(url), { ...CONFIG, ...config });

test("providers are public https addresses on port 443 by name, in production", () => {
  expect(allowed("https://id.example.org/tenant")).toBe(true);
  for (const url of [
    "http://id.example.org",
    "https://id.example.org:8443",
    "https://id.example.org:22",
    "https://127.0.0.1",
    "https://localhost",
    "https://169.254.169.254",
    "https://[::ffff:10.0.0.1]",
    "https://id.internal",
    "https://app.example.com",
    "https://api.example.com",
    "https://ada:secret@id.example.org",
    "http://127.0.0.1:8080",
  ])
    expect([url, allowed(url)]).toEqual([url, false]);
});

test("outside production a provider may be on this machine, over http and on any port", () => {
  for (const url of ["http://127.0.0.1:8080", "http://localhost:8080", "https://[::1]:1"])
    expect([url, allowed(url, { production: false })]).toEqual([url, true]);
  expect(allowed("http://10.0.0.1", { production: false })).toBe(false);
});

test("a name whose addresses are not all public is never connected to, and the checked address is used", async () => {
  for (const addresses of [
    ["10.0.0.1"],
    ["93.184.215.14", "127.0.0.1"],
    ["::ffff:10.0.0.1"],
    ["169.254.169.254"],
    [],
  ]) {
    const find = providerAddresses(CONFIG, async () => addresses);
    await expect(find(new URL("https://rebind.example.org"))).rejects.toThrow("not allowed");
  }
  const find = providerAddresses(CONFIG, async () => ["93.184.215.14"]);
  expect(await find(new URL("https://id.example.org"))).toEqual(["93.184.215.14"]);
});

test("a name is resolved once, so that a second answer cannot lead inwards", async () => {
  let answers = 0;
  const find = providerAddresses(CONFIG, async () => {
    answers += 1;
    return answers === 1 ? ["192.0.2.1"] : ["127.0.0.1"];
  });
  const send = boundedFetch(1024, find);
  await send("https://rebind.example.org/", { signal: AbortSignal.timeout(200) }).catch(() => {});
  expect(answers).toBe(1);
});

test("networks of the operator are allowed, link-local ones are not", async () => {
  const config = { ...CONFIG, ssoAllowedNetworks: parseNetworks("10.0.0.0/8") };
  const find = providerAddresses(config, async () => ["10.1.2.3"]);
  expect(await find(new URL("https://keycloak.internal:8443"))).toEqual(["10.1.2.3"]);
  const inwards = providerAddresses(config, async () => ["169.254.169.254"]);
  await expect(inwards(new URL("https://keycloak.internal:8443"))).rejects.toThrow("not allowed");
  await expect(find(new URL("http://keycloak.internal"))).rejects.toThrow("not allowed");
});

test("a host that never answers DNS ends with the time of the call", async () => {
  const send = boundedFetch(1024, () => new Promise(() => {}));
  await expect(send("https://id.example.org/", { signal: AbortSignal.timeout(50) })).rejects.toThrow();
});
