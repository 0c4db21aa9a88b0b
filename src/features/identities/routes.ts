import {
  type App,
  conflict,
  empty,
  json,
  jsonBody,
  noContent,
  notFound,
  Router,
  route,
  tooManyRequests,
} from "#kit";
import { providerError } from "#kit/inside";
import { CONFIRMATION_LIMIT_DESCRIPTION } from "../../core/accounts/attempts.ts";
import { wrongPassword } from "../../core/accounts/errors.ts";
import { queryOf } from "../../platform/http/target.ts";
import { beginAuthorization, beginLink, beginReauthentication, findProvider } from "./begin.ts";
import { type CallbackOutcome, handleCallback, providerResultOrNull } from "./callback.ts";
import { listIdentities, unlinkIdentity } from "./link.ts";
import { redirect, toClient } from "./redirect.ts";
import { Identities, LinkBody, LinkResponse, ProviderPath, Providers } from "./schemas.ts";
import { stateCookie } from "./state-cookie.ts";

const STATE_COOKIE = "The oidc_state cookie: HttpOnly, SameSite=Lax, Path=/api/auth/oidc, 10 minutes.";
const CODES = [
  "ACCESS_DENIED",
  "INVALID_STATE",
  "EMAIL_NOT_VERIFIED",
  "ACCOUNT_EXISTS",
  "EMAIL_UNAVAILABLE",
  "REGISTRATION_CLOSED",
  "IDENTITY_IN_USE",
  "PROVIDER_ERROR",
  "TOO_MANY_REQUESTS",
];

/**
 * The rate limit of sign-ins by a provider for one IP address, as a multiple of the general limit. It is high because
 * many people sign in from behind one address, and nothing can be guessed: the provider asks for the password.
 */
const SIGN_INS_PER_IP = 12;

const listIdentityProvidersRoute = route({
  operationId: "listIdentityProviders",
  method: "get",
  path: "/api/auth/providers",
  summary: "List the sign-in providers",
  access: "public",
  responses: { 200: json(Providers, "The configured providers") },
});

const beginProviderSignInRoute = route({
  operationId: "beginProviderSignIn",
  method: "get",
  path: "/api/auth/oidc/{provider}",
  summary: "Sign in with a provider",
  description:
    "Open this URL in the browser. It redirects to the provider, which redirects back to the callback.",
  access: "public",
  throttle: { perIp: SIGN_INS_PER_IP },
  request: { params: ProviderPath },
  responses: {
    302: empty("Redirects to the provider", {
      setsCookie: STATE_COOKIE,
      location:
        "The provider's authorization endpoint; `APP_URL/auth/callback#error=PROVIDER_ERROR` if the provider is unavailable.",
    }),
  },
  errors: [notFound],
});

const finishProviderSignInRoute = route({
  operationId: "finishProviderSignIn",
  method: "get",
  path: "/api/auth/oidc/{provider}/callback",
  summary: "Sign-in callback",
  description:
    "The provider redirects the browser here with `code` and `state`. Signs in, registers or links, and redirects to the client, which reads the result from the fragment. A challenge is completed by `POST /api/auth/2fa/verify`. Every call clears the state cookie.",
  access: "public",
  throttle: { perIp: SIGN_INS_PER_IP, response: (app) => back(app, { error: "TOO_MANY_REQUESTS" }) },
  connections: "sign-in",
  request: { params: ProviderPath },
  responses: {
    302: empty("Redirects to the client", {
      setsCookie: "Clears oidc_state; with `#token` also sets refresh_token.",
      location: `\`APP_URL/auth/callback\` with \`#token=…\` (an access token), \`#challenge=…\`, \`#linked=<provider>\`, \`#reauthenticated=<provider>\`, or \`#error=\` and one of ${CODES.map((code) => `\`${code}\``).join(", ")}.`,
    }),
  },
  errors: [notFound],
  refreshCookie: "optional",
  acceptsAnyQuery: true,
});

const listIdentitiesRoute = route({
  operationId: "listIdentities",
  method: "get",
  path: "/api/profile/identities",
  summary: "List your linked providers",
  access: "signed-in",
  worksConfined: true,
  responses: { 200: json(Identities, "The linked providers, oldest first") },
});

const linkIdentityRoute = route({
  operationId: "linkIdentity",
  method: "post",
  path: "/api/profile/identities/{provider}",
  summary: "Link a provider to your account",
  description: `Open \`url\` in the browser. When the provider redirects back, the account must still be signed in in that browser. The password is required if the account has one; without one, a proof of identity within the last 10 minutes. ${CONFIRMATION_LIMIT_DESCRIPTION}`,
  access: "signed-in",
  reauthentication: { classes: ["account"], takesPassword: true },
  request: { params: ProviderPath, body: jsonBody(LinkBody, { password: "wide blue yonder" }) },
  responses: { 200: json(LinkResponse, "The address to open", { setsCookie: STATE_COOKIE }) },
  errors: [notFound, wrongPassword, tooManyRequests, providerError],
});

const reauthenticateByProviderRoute = route({
  operationId: "reauthenticateByProvider",
  method: "post",
  path: "/api/profile/reauthenticate/{provider}",
  summary: "Re-authenticate with a provider",
  description:
    "Open `url` in the browser of this session. The provider asks you to prove yourself again, and the callback ends with `#reauthenticated=<provider>`.",
  access: "signed-in",
  worksConfined: true,
  request: { params: ProviderPath },
  responses: { 200: json(LinkResponse, "The address to open", { setsCookie: STATE_COOKIE }) },
  errors: [notFound, providerError],
});

const unlinkIdentityRoute = route({
  operationId: "unlinkIdentity",
  method: "delete",
  path: "/api/profile/identities/{provider}",
  summary: "Unlink a provider from your account",
  description:
    "The only sign-in method of an account cannot be removed. An account without a password can set one with `POST /api/auth/forgot-password`.",
  access: "signed-in",
  reauthentication: { classes: ["account"] },
  request: { params: ProviderPath },
  responses: { 204: empty("The provider is unlinked") },
  errors: [notFound, conflict],
});

export const identityRoutes = new Router("identities")
  .openapi(listIdentityProvidersRoute, async (c) =>
    c.json(
      [...c.var.call.app.identityProviders.values()].map(({ key, name }) => ({ key, name })),
      200,
    ),
  )
  .openapi(beginProviderSignInRoute, async (c) => {
    const provider = findProvider(c.var.call.app, c.req.valid("param").provider);
    const authorization = await providerResultOrNull(c.var.call, () =>
      beginAuthorization(c.var.call, provider, { kind: "sign-in" }),
    );
    return authorization === null
      ? toClient(c.var.call.app, { error: "PROVIDER_ERROR" }, [])
      : redirect(authorization.url, [authorization.cookie]);
  })
  .openapi(finishProviderSignInRoute, async (c) => {
    const { app } = c.var.call;
    const states = stateCookie(app.config);
    // Clears the state cookie in error responses. A redirect sets its own cookies and clears this one too.
    c.header("set-cookie", states.cleared);
    const provider = findProvider(app, c.req.valid("param").provider);
    const callback = { provider, query: queryOf(c.req.raw.url), state: states.read(c.req.raw) };
    const { outcome, cookies } = await handleCallback(c.var.call, callback, c.req.raw);
    return back(app, outcome, cookies);
  })
  .openapi(listIdentitiesRoute, async (c) => c.json(await listIdentities(c.var.call), 200))
  .openapi(linkIdentityRoute, async (c) => {
    const { url, cookie } = await beginLink(c.var.call, c.req.valid("param").provider, c.req.valid("json"));
    return c.json({ url }, 200, { "set-cookie": cookie });
  })
  .openapi(reauthenticateByProviderRoute, async (c) => {
    const { url, cookie } = await beginReauthentication(c.var.call, c.req.valid("param").provider);
    return c.json({ url }, 200, { "set-cookie": cookie });
  })
  .openapi(unlinkIdentityRoute, (c) =>
    noContent(c, unlinkIdentity(c.var.call, c.req.valid("param").provider)),
  );

/** Returns the redirect to the client at the end of every callback. It clears the state cookie. */
const back = (app: App, outcome: CallbackOutcome, cookies: string[] = []) =>
  toClient(app, outcome, [stateCookie(app.config).cleared, ...cookies]);
