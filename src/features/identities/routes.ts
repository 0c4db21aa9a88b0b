import { endpoint, reply } from "../../core/api/endpoint.ts";
import type { App } from "../../core/context.ts";
import {
  ApiError,
  conflict,
  notFound,
  providerError,
  tooManyRequests,
  wrongPassword,
} from "../../platform/errors.ts";
import { queryOf } from "../../platform/http/target.ts";
import { beginLink, beginVisit, findProvider } from "./begin.ts";
import { askedOrNull, finishVisit } from "./callback.ts";
import { listIdentities, unlinkIdentity } from "./link.ts";
import { redirect, toClient } from "./redirect.ts";
import { Identities, LinkAnswer, LinkBody, ProviderPath, Providers } from "./schemas.ts";
import { stateCookie } from "./state-cookie.ts";

const STATE_COOKIE = "The oidc_state cookie: HttpOnly, SameSite=Lax, Path=/api/auth/oidc, 10 minutes.";
const CODES = [
  "ACCESS_DENIED",
  "INVALID_STATE",
  "EMAIL_NOT_VERIFIED",
  "ACCOUNT_EXISTS",
  "EMAIL_UNAVAILABLE",
  "IDENTITY_IN_USE",
  "PROVIDER_ERROR",
  "TOO_MANY_REQUESTS",
];

export const identityEndpoints = [
  endpoint(
    {
      operationId: "listIdentityProviders",
      method: "get",
      path: "/api/auth/providers",
      tag: "identities",
      summary: "List the providers that one can sign in with",
      access: "public",
      answers: { 200: { description: "As they are configured", schema: Providers } },
    },
    async ({ app }) =>
      reply(
        200,
        [...app.identityProviders.values()].map(({ key, name }) => ({ key, name })),
      ),
  ),

  endpoint(
    {
      operationId: "beginProviderSignIn",
      method: "get",
      path: "/api/auth/oidc/{provider}",
      tag: "identities",
      summary: "Sign in with a provider",
      description: "For the browser itself to go to. It comes back by the callback.",
      access: "public",
      throttled: true,
      params: ProviderPath,
      answers: {
        302: {
          description: "To the provider",
          location:
            "The provider's authorization endpoint; `APP_URL/auth/callback#error=PROVIDER_ERROR` where it is out of reach.",
          setsCookie: STATE_COOKIE,
        },
      },
      refusals: [notFound],
    },
    async (call, { params }) => {
      const provider = findProvider(call.app, params.provider);
      const departure = await askedOrNull(call, () => beginVisit(call, provider, { kind: "sign-in" }));
      const response =
        departure === null
          ? toClient(call.app, { error: "PROVIDER_ERROR" }, [])
          : redirect(departure.url, [departure.cookie]);
      return { response };
    },
  ),

  endpoint(
    {
      operationId: "finishProviderSignIn",
      method: "get",
      path: "/api/auth/oidc/{provider}/callback",
      tag: "identities",
      summary: "Come back from a provider",
      description:
        "For the provider to send the browser to, with its `code` and `state`. Signs in, registers, or links, and leads on to the client, which reads the outcome from the fragment. A challenge is completed by `POST /api/auth/2fa/verify`. Every call clears the state cookie.",
      access: "public",
      throttled: true,
      whenThrottled: (app) => back(app, { error: "TOO_MANY_REQUESTS" }),
      refreshCookie: "optional",
      params: ProviderPath,
      takesAnyQuery: true,
      answers: {
        302: {
          description: "To the client",
          location: `\`APP_URL/auth/callback\` with \`#token=…\` (an access token), \`#challenge=…\`, \`#linked=<provider>\`, or \`#error=\` and one of ${CODES.map((code) => `\`${code}\``).join(", ")}.`,
          setsCookie: "Clears oidc_state; with `#token` also sets refresh_token.",
        },
      },
      refusals: [notFound],
    },
    async (call, { params }, request) => {
      const { app } = call;
      const states = stateCookie(app.config);
      try {
        const provider = findProvider(app, params.provider);
        const visit = { provider, query: queryOf(request.url), state: states.read(request) };
        const { outcome, cookies } = await finishVisit(call, visit, request);
        return { response: back(app, outcome, cookies) };
      } catch (error) {
        if (error instanceof ApiError) error.extra.headers = { "set-cookie": states.cleared };
        throw error;
      }
    },
  ),

  endpoint(
    {
      operationId: "listIdentities",
      method: "get",
      path: "/api/profile/identities",
      tag: "identities",
      summary: "List the providers that one's account is linked to",
      access: "signed-in",
      answers: { 200: { description: "The oldest first", schema: Identities } },
    },
    async (call) => reply(200, await listIdentities(call)),
  ),

  endpoint(
    {
      operationId: "linkIdentity",
      method: "post",
      path: "/api/profile/identities/{provider}",
      tag: "identities",
      summary: "Begin to link a provider to one's account",
      description:
        "The browser then goes to `url`. Where it comes back the account must still be signed in. The password is required if the account has one. Ten confirmations by password or code in 15 minutes, right or wrong, over the whole profile, are the most.",
      access: "signed-in",
      params: ProviderPath,
      body: LinkBody,
      example: { password: "wide blue yonder" },
      answers: {
        200: { description: "Where to go", schema: LinkAnswer, setsCookie: STATE_COOKIE },
      },
      refusals: [notFound, wrongPassword, tooManyRequests, providerError],
    },
    async (call, { params, body }) => {
      const { url, cookie } = await beginLink(call, params.provider, body);
      return reply(200, { url }, { "set-cookie": cookie });
    },
  ),

  endpoint(
    {
      operationId: "unlinkIdentity",
      method: "delete",
      path: "/api/profile/identities/{provider}",
      tag: "identities",
      summary: "Unlink a provider from one's account",
      description: "Not the last way to sign in: an account without a password sets one by the reset mail.",
      access: "signed-in",
      params: ProviderPath,
      answers: { 204: { description: "Unlinked" } },
      refusals: [notFound, conflict],
    },
    async (call, { params }) => {
      await unlinkIdentity(call, params.provider);
      return reply(204);
    },
  ),
];

/** Back to the client, as every callback leads, whose state cookie is used up by that. */
const back = (app: App, outcome: Parameters<typeof toClient>[1], cookies: string[] = []) =>
  toClient(app, outcome, [stateCookie(app.config).cleared, ...cookies]);
