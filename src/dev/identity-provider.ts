import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ClientMetadata, JWKS, Provider } from "oidc-provider";
import { loginPage, type People } from "./identity-page.ts";

export type { People } from "./identity-page.ts";

/*
 * Starts an OpenID provider for development and tests. A certified package implements it; only the sign-in page is
 * our own. It listens only on the loopback address, because anybody can sign in as any user.
 */

export type IdentityProviderOptions = {
  client: { id: string; secret: string; redirectUris: string[] };
  people: People;
  /** The name on the sign-in page. */
  name?: string;
  /** Which further redirect addresses are allowed; by default none. */
  allowsRedirect?: (uri: string) => boolean;
  /** Claims of the ID token besides those of the scopes, which then stand in it as well, as at providers of companies. */
  moreClaims?: readonly string[];
  /** Returns the claims about a person; by default those of `people`. */
  claimsOf?: (subject: string) => Record<string, unknown>;
  /** The port; 0 (the default) chooses a free one. */
  port?: number;
  /** The signing keys. Default: the package's example keys, which are public. */
  keys?: JWKS;
  /** Wraps the handler of every request. */
  around?: Parameters<Provider["use"]>[0];
};

/** Claims by scope; the ID token has only the subject, the others come from the userinfo endpoint. */
const CLAIMS = {
  openid: ["sub"],
  email: ["email", "email_verified"],
  profile: ["name", "given_name", "family_name", "locale"],
};
const MINUTES = 60;

/** Starts the OpenID provider. */
export async function startIdentityProvider({
  client,
  people,
  name = "Identity provider",
  allowsRedirect = () => false,
  moreClaims,
  claimsOf = (subject) => people.get(subject) ?? {},
  port = 0,
  keys,
  around,
}: IdentityProviderOptions) {
  const { default: OidcProvider, interactionPolicy } = await quietly(() => import("oidc-provider"));
  const policy = interactionPolicy.base();
  const everyTime = "Everybody chooses each time who to be";
  policy
    .get("login")
    ?.checks.add(
      new interactionPolicy.Check("anew", everyTime, ({ oidc }) => oidc.result?.login === undefined),
    );
  // The issuer contains the port, so the port is chosen first.
  const server = createServer();
  await new Promise<void>((resolve, reject) =>
    server.once("error", reject).listen(port, "127.0.0.1", () => resolve()),
  );
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clients: ClientMetadata[] = [
    { client_id: client.id, client_secret: client.secret, redirect_uris: client.redirectUris },
  ];
  const provider = await quietly(
    async () =>
      new OidcProvider(issuer, {
        clients,
        claims: moreClaims === undefined ? CLAIMS : { ...CLAIMS, openid: [...CLAIMS.openid, ...moreClaims] },
        conformIdTokenClaims: moreClaims === undefined,
        ...(keys && { jwks: keys }),
        features: { devInteractions: { enabled: false } },
        // Cookies are not signed, because the package warns that its way of signing them is deprecated.
        cookies: { long: { signed: false }, short: { signed: false } },
        ttl: {
          AccessToken: 10 * MINUTES,
          Grant: 10 * MINUTES,
          IdToken: 10 * MINUTES,
          Interaction: 10 * MINUTES,
          Session: 10 * MINUTES,
        },
        interactions: { policy, url: (_ctx, { uid }) => `/sign-in/${uid}` },
        findAccount: (_ctx, subject) => ({
          accountId: subject,
          claims: () => ({ sub: subject, ...claimsOf(subject) }),
        }),
        // Skips the consent page.
        async loadExistingGrant({ oidc }) {
          const grant = new oidc.provider.Grant({
            clientId: oidc.client?.clientId ?? "",
            accountId: oidc.session?.accountId ?? "",
          });
          grant.addOIDCScope(Object.keys(CLAIMS).join(" "));
          await grant.save();
          return grant;
        },
      }),
  );
  const { redirectUriAllowed } = provider.Client.prototype;
  provider.Client.prototype.redirectUriAllowed = function allowed(uri: string) {
    return allowsRedirect(uri) || redirectUriAllowed.call(this, uri);
  };
  if (around !== undefined) provider.use(around);
  provider.use(signIn(provider, people, name));
  server.on("request", provider.callback());
  return {
    issuer,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Serves the sign-in page and handles its form. */
function signIn(provider: Provider, people: People, name: string): Parameters<Provider["use"]>[0] {
  return async (ctx, next) => {
    if (!ctx.path.startsWith("/sign-in/")) return next();
    if (ctx.method === "GET") {
      ctx.type = "html";
      ctx.body = loginPage(people, name);
      return;
    }
    const subject = new URLSearchParams(ctx.querystring).get("as");
    const result =
      subject !== null && people.has(subject)
        ? { login: { accountId: subject, remember: false } }
        : { error: "access_denied", error_description: "Not now" };
    // The package writes the response itself.
    ctx.respond = false;
    await provider.interactionFinished(ctx.req, ctx.res, result);
  };
}

/** Silences the package's warnings about features that are only for development. */
export async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { warn, info } = console;
  console.warn = console.info = () => {};
  try {
    return await work();
  } finally {
    Object.assign(console, { warn, info });
  }
}
