import { z } from "@hono/zod-openapi";
import { json, Router, route, textExample } from "#kit";
import { BotCheckSettings } from "../../core/accounts/outside-checks.ts";

const Settings = z
  .object({
    registration: z
      .enum(["open", "domains", "invited", "off"])
      .describe(
        "Who may create an account: everybody, addresses of certain domains, invited people, or nobody.",
      ),
    organizationCreation: z.enum(["everyone", "platform-admins"]).describe("Who may create an organization."),
    passkeys: z
      .enum(["on", "second-factor", "off"])
      .describe("Whether passkeys sign in by themselves, are only a second factor, or do not exist."),
    sso: z.boolean().describe("Whether organizations may have an identity provider of their own."),
    oauth: z.boolean().describe("Whether people may connect apps."),
    providers: z
      .array(
        z.object({
          key: textExample("google").describe("The key that identifies the provider in paths."),
          name: textExample("Google").describe("The name of the provider, for the sign-in button."),
        }),
      )
      .describe("The sign-in providers."),
    botCheck: BotCheckSettings.nullable().describe("The bot check; null if there is none."),
  })
  .openapi("Settings");

const getSettingsRoute = route({
  operationId: "getSettings",
  method: "get",
  path: "/api/auth/settings",
  summary: "Read what pages before sign-in need to know",
  description: "The same for everybody. The response may be cached for a minute.",
  access: "public",
  responses: { 200: json(Settings, "The settings") },
});

export const frontDoorRoutes = new Router("accounts").openapi(getSettingsRoute, (c) => {
  const { config, identityProviders, botCheck } = c.var.call.app;
  const settings = {
    registration: config.registration.mode,
    organizationCreation: config.organizationCreation,
    passkeys: config.passkeys.mode,
    sso: config.sso,
    oauth: config.oauth,
    providers: [...identityProviders.values()].map(({ key, name }) => ({ key, name })),
    botCheck: botCheck?.details ?? null,
  };
  return c.json(settings, 200, { "cache-control": "public, max-age=60" });
});
