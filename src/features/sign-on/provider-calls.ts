import { isIP } from "node:net";
import { type App, memoizePerApp, Permits } from "#kit";
import type { FindAddresses } from "../../platform/http/bounded-fetch.ts";
import { allowedAddresses, hostOf } from "../../platform/http/outgoing-rules.ts";
import { type ResolveAll, resolveAllWith } from "../../platform/http/resolve-all.ts";
import type { Fetch } from "../../platform/tracing/tracing.ts";
import { isAllowedProvider, isOnThisMachine, providerRules } from "./issuer.ts";
import { LIMITS } from "./limits.ts";

declare module "../../core/context.ts" {
  interface App {
    /** Calls identity providers of organizations, only at addresses where they may be. */
    readonly callProvider: Fetch;
  }
}

type Rules = Parameters<typeof providerRules>[0];

/**
 * Creates the function that finds the addresses of an identity provider. It resolves the name once, and the connection is
 * made to the address that was checked.
 */
export function providerAddresses(config: Rules, resolve: ResolveAll = resolverOf(config)): FindAddresses {
  return async (url) => {
    if (!isAllowedProvider(url, config)) throw new Error("The address is not allowed");
    if (isOnThisMachine(url, config)) return [undefined];
    const host = hostOf(url);
    const found = isIP(host) === 0 ? await resolve(host) : [host];
    const allowed = allowedAddresses(url, found, providerRules(config));
    if (allowed === null) throw new Error("The address is not allowed");
    return allowed;
  };
}

const resolverOf = ({ ssoAllowedNetworks }: Rules): ResolveAll =>
  resolveAllWith({ servers: null, hosts: ssoAllowedNetworks.length > 0 });

const permitsOf = memoizePerApp(() => new Permits(LIMITS.providerCalls.levels));

/** Returns a `fetch` for one connection. Beyond its calls at once, and those of the instance, further ones fail. */
export function callsOf(app: App, connection: string): Fetch {
  return async (input, options) => {
    const url = new URL(input instanceof Request ? input.url : input);
    // Also here, for runtimes that do not look up addresses.
    if (!isAllowedProvider(url, app.config)) throw new Error("The address is not allowed");
    const release = permitsOf(app).take({ connection, instance: "" });
    const since = performance.now();
    try {
      return await app.callProvider(input, options);
    } finally {
      release();
      app.meter.observe("sso_provider_seconds", (performance.now() - since) / 1_000, {
        call: kindOf(url, options),
      });
    }
  };
}

function kindOf(url: URL, options: Parameters<Fetch>[1]): string {
  if (url.pathname.includes("/.well-known/openid-configuration")) return "metadata";
  if (options?.method?.toUpperCase() === "POST") return "token";
  return new Headers(options?.headers).has("authorization") ? "userinfo" : "keys";
}
