import { expect, test } from "bun:test";
import { createOrganization } from "../../support/organizations.ts";
import { eventsIn } from "../../support/outcomes.ts";
import { startService } from "../../support/service.ts";
import { SIGN_ON } from "../../support/sign-on.ts";
import { addDomain, browserAt, connect, signedInBy, somebody } from "../../support/sso.ts";
import { SsoProvider } from "../../support/sso-provider.ts";

/* A provider that stands in for Google: the service calls it instead, and its answers name Google as their issuer. */
const GOOGLE = "https://accounts.google.com";
const provider = await SsoProvider.start();
const t = await startService(SIGN_ON);
const metadata = await (await fetch(`${provider.issuer}/.well-known/openid-configuration`)).text();
provider.instead = (path) =>
  path.startsWith("/.well-known/") ? new Response(metadata.replaceAll(provider.issuer, GOOGLE)) : null;
provider.claims = (claims) => ({ ...claims, iss: GOOGLE });
provider.responseIssuer = GOOGLE;
const app = t.running.app as { callProvider: (typeof t.running.app)["callProvider"] };
const { callProvider } = app;
app.callProvider = (input, options) => callProvider(String(input).replace(GOOGLE, provider.issuer), options);

test("people of Google come in only by an account that a verified domain of the organization manages, also if they are known", async () => {
  const acme = await connect(t, await createOrganization(t), provider, { issuer: GOOGLE });
  const [more, pending, foreign] = ["more", "pending", "foreign"].map((name) => `${name}.${acme.domain}`);
  await addDomain(t, acme.organization, more ?? "");
  await addDomain(t, acme.organization, pending ?? "", null, "PENDING");
  await addDomain(t, await createOrganization(t), foreign ?? "");
  const come = (told: ReturnType<typeof somebody>) => browserAt(t, acme).signIn(told);
  const unmanaged = [undefined, "", true, [acme.domain], `x.${acme.domain}`, pending, foreign, "gmail.com"];

  const known = somebody(acme);
  await signedInBy(t, acme, { ...known, hd: acme.domain });
  await signedInBy(t, acme, { ...known, hd: more?.toUpperCase() });
  for (const hd of unmanaged) {
    const stranger = somebody(acme);
    for (const told of [known, stranger])
      expect([hd, await come({ ...told, hd })]).toEqual([hd, { error: "DOMAIN_MISMATCH" }]);
    expect(await t.sql("SELECT FROM users WHERE email = $1", [stranger.email])).toEqual([]);
  }
  const reasons = (await eventsIn(t, acme.organization, "SSO_SIGN_IN_FAILED")).map(
    ({ metadata }) => metadata.reason,
  );
  expect(reasons).toEqual(Array(2 * unmanaged.length).fill("domain_mismatch"));
});

test("the claim of Google means nothing at another provider", async () => {
  const other = await SsoProvider.start();
  const acme = await connect(t, await createOrganization(t), other);
  await signedInBy(t, acme, somebody(acme, { hd: "elsewhere.example.com" }));
});
