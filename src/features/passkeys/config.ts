import ipaddr from "ipaddr.js";
import { getPublicSuffix } from "tldts";
import { z } from "zod";
import { commaSeparated, configSection, isProduction } from "#kit";
import type { RawEnvironment } from "#kit/inside";

type PasskeyConfig = {
  passkeys: {
    /** Whether passkeys can be used to sign in alone, only as a second factor, or not at all (rules 34.1). */
    mode: "on" | "second-factor" | "off";
    /** The domain to which passkeys are bound for ever. */
    rpId: string;
    /** The service's name, as authenticators show it. */
    rpName: string;
    /** The origins of pages that may use passkeys. */
    origins: string[];
  };
};

declare module "../../core/config.ts" {
  interface Config extends PasskeyConfig {}
}

const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/** Returns the host of `APP_URL`; empty if `APP_URL` is no valid URL. */
const hostOf = ({ APP_URL = "" }: RawEnvironment): string =>
  URL.canParse(APP_URL) ? new URL(APP_URL).hostname.toLowerCase() : "";

const isAddress = (host: string): boolean => ipaddr.isValid(host.replaceAll(/^\[|\]$/g, ""));

/**
 * Whether a domain is a public suffix, under which anybody may register a domain. All those domains would share the
 * passkeys.
 */
const isPublicSuffix = (domain: string): boolean =>
  domain !== "localhost" && getPublicSuffix(domain, { allowPrivateDomains: true }) === domain;

const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text;

/** The configuration of passkeys. */
export const passkeyConfig = configSection({
  variables: {
    PASSKEYS: z.enum(["on", "second-factor", "off"]).default("on"),
    WEBAUTHN_RP_ID: z
      .string()
      .regex(DOMAIN, "must be a domain in lower case, without scheme and port")
      .refine((domain) => !isPublicSuffix(domain), "must not be a public suffix")
      .optional(),
    WEBAUTHN_RP_NAME: z.string().min(1).max(64).optional(),
    WEBAUTHN_ORIGINS: z
      .string()
      .transform(commaSeparated)
      .refine(
        (origins) => origins.length > 0 && origins.every(isOrigin),
        "must be a comma-separated list of origins such as https://app.example.com",
      )
      .optional(),
  },
  check: (raw) => {
    const { WEBAUTHN_RP_ID: domain, WEBAUTHN_ORIGINS: origins } = raw;
    const host = hostOf(raw);
    return [
      ...(domain && host && host !== domain && !host.endsWith(`.${domain}`)
        ? ["WEBAUTHN_RP_ID must be the host of APP_URL or a parent domain of it"]
        : []),
      ...(isProduction(raw) &&
      origins &&
      !commaSeparated(origins).every((origin) => origin.startsWith("https://"))
        ? ["WEBAUTHN_ORIGINS must begin with https:// in production"]
        : []),
    ];
  },
  warn: (raw) =>
    raw.PASSKEYS !== "off" && isAddress(hostOf(raw))
      ? ["Passkeys are off: the host of APP_URL is an IP address, and passkeys need a domain"]
      : [],
  read: (env, raw): PasskeyConfig => {
    const host = hostOf(raw);
    return {
      passkeys: {
        mode: isAddress(host) ? "off" : env.PASSKEYS,
        rpId: env.WEBAUTHN_RP_ID ?? host,
        rpName: env.WEBAUTHN_RP_NAME ?? host,
        origins:
          env.WEBAUTHN_ORIGINS ??
          (URL.canParse(raw.APP_URL ?? "") ? [new URL(raw.APP_URL ?? "").origin] : []),
      },
    };
  },
});
