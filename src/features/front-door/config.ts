import { readFileSync } from "node:fs";
import { z } from "zod";
import { commaSeparated, configSection, isProduction, url } from "#kit";
import { asciiDomain, type Domains, isListOf, missingVariables, type RawEnvironment } from "#kit/inside";

/** How accounts come into being, and how they are protected at the front door (rules 32). */
export type FrontDoorConfig = {
  registration: {
    /** Who may register (rules 32.1). */
    mode: "open" | "domains" | "invited" | "off";
    /** The domains of the mode `domains`. */
    domains: Domains;
    /** Domains for which nobody registers by themselves, each with everything below it. */
    blocked: ReadonlySet<string>;
  };
  /** Who may create organizations. */
  organizationCreation: "everyone" | "platform-admins";
  /** Whether people are told of sign-ins from new browsers and networks. */
  signInAlerts: boolean;
  /** The address of the range service that knows breached passwords, to which a prefix is appended; null for none. */
  breachedPasswordsUrl: string | null;
  /** The bot check; null if it is off. `url` is that of a stand-in. */
  botCheck: { kind: "turnstile"; siteKey: string; secret: string; url: string | null } | null;
};

declare module "../../core/config.ts" {
  interface Config extends FrontDoorConfig {}
}

const WILDCARD = "*.";
/** Returns the domain of an entry. Only a wildcard may name a top-level domain, because no address has one. */
function domainIn(entry: string): string | null {
  if (entry.startsWith(WILDCARD)) return asciiDomain(entry.slice(WILDCARD.length));
  const domain = asciiDomain(entry);
  return domain?.includes(".") ? domain : null;
}
const VISIBLE = /^[\x21-\x7e]{1,256}$/;

/** The configuration of the front door. */
export const frontDoorConfig = configSection({
  variables: {
    REGISTRATION: z.enum(["open", "domains", "invited", "off"]).default("open"),
    REGISTRATION_DOMAINS: z
      .string()
      .optional()
      .refine(
        (value) => isListOf(value, (entry) => domainIn(entry) !== null),
        "must be a comma-separated list of domains such as acme.com or *.acme.com",
      ),
    REGISTRATION_BLOCKED_DOMAINS: z.string().optional(),
    ORGANIZATION_CREATION: z.enum(["everyone", "platform-admins"]).default("everyone"),
    SIGN_IN_ALERTS: z.enum(["off", "on"]).default("off"),
    BREACHED_PASSWORDS_URL: url(["http:", "https:"]).optional(),
    BOT_CHECK: z.enum(["off", "turnstile"]).default("off"),
    BOT_CHECK_SITE_KEY: z.string().regex(VISIBLE, "must be at most 256 visible ASCII characters").optional(),
    BOT_CHECK_SECRET: z.string().optional(),
    BOT_CHECK_URL: url(["http:", "https:"]).optional(),
  },
  secrets: ["BOT_CHECK_SECRET"],
  check: (raw) => [
    ...(raw.REGISTRATION === "domains"
      ? missingVariables(raw, ["REGISTRATION_DOMAINS"], "because REGISTRATION is domains")
      : []),
    ...(raw.BOT_CHECK === "turnstile"
      ? missingVariables(raw, ["BOT_CHECK_SITE_KEY", "BOT_CHECK_SECRET"], "because BOT_CHECK is turnstile")
      : []),
    ...blockedDomains(raw).problems,
    ...(isProduction(raw) && raw.BREACHED_PASSWORDS_URL?.toLowerCase().startsWith("http:")
      ? ["BREACHED_PASSWORDS_URL must begin with https: in production"]
      : []),
    ...(isProduction(raw) && raw.BOT_CHECK_URL
      ? ["BOT_CHECK_URL must be unset in production: it is for stand-ins"]
      : []),
  ],
  warn: (raw) =>
    raw.REGISTRATION_DOMAINS && raw.REGISTRATION !== "domains"
      ? ["REGISTRATION_DOMAINS has an effect only with REGISTRATION=domains"]
      : [],
  read: (env, raw): FrontDoorConfig => {
    const { blocked, problems } = blockedDomains(raw);
    // The file is checked again: if it was replaced after the check, that must not open the door.
    if (problems.length > 0) throw new Error(problems.join("\n"));
    return {
      registration: {
        mode: env.REGISTRATION,
        domains: domainsFrom(commaSeparated(env.REGISTRATION_DOMAINS ?? "")),
        blocked,
      },
      organizationCreation: env.ORGANIZATION_CREATION,
      signInAlerts: env.SIGN_IN_ALERTS === "on",
      breachedPasswordsUrl: env.BREACHED_PASSWORDS_URL ?? null,
      botCheck:
        env.BOT_CHECK === "off"
          ? null
          : {
              kind: env.BOT_CHECK,
              siteKey: env.BOT_CHECK_SITE_KEY ?? "",
              secret: env.BOT_CHECK_SECRET ?? "",
              url: env.BOT_CHECK_URL ?? null,
            },
    };
  },
});

function domainsFrom(entries: string[]): Domains {
  const named = (isBelow: boolean) =>
    new Set(
      entries.filter((entry) => entry.startsWith(WILDCARD) === isBelow).flatMap((e) => domainIn(e) ?? []),
    );
  return { exact: named(false), below: named(true) };
}

/** Reads the file of blocked domains, one a line, with comments after `#`. */
function blockedDomains({ REGISTRATION_BLOCKED_DOMAINS: path }: RawEnvironment) {
  const blocked = new Set<string>();
  if (!path) return { blocked, problems: [] };
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return { blocked, problems: ["REGISTRATION_BLOCKED_DOMAINS cannot be read"] };
  }
  const lines = text.replace(/^\ufeff/, "").split("\n");
  for (const [index, line] of lines.entries()) {
    const entry = line.replace(/#.*/, "").trim();
    if (entry === "") continue;
    const domain = asciiDomain(entry);
    if (domain === null)
      return { blocked, problems: [`REGISTRATION_BLOCKED_DOMAINS has no domain in line ${index + 1}`] };
    blocked.add(domain);
  }
  return { blocked, problems: [] };
}
