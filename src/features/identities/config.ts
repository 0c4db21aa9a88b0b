import { z } from "zod";
import { commaSeparated, configSection, hasControl, isProduction } from "#kit";
import { isListOf, isUrl, missingVariables, type RawEnvironment } from "#kit/inside";

/** An OpenID provider for signing in, as configured by environment variables (rules 24.9). */
export type ProviderConfig = {
  /** Identifies the provider in routes and in the client. */
  key: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The provider's display name. */
  name: string;
  scopes: string;
  /** Whether the provider proves every email, also if it sends no `email_verified` (rules 8.6). */
  provesEmails: boolean;
};

declare module "../../core/config.ts" {
  interface Config {
    oidc: ProviderConfig[];
  }
}

/** The configuration of sign-in with OpenID providers. The names of a provider's variables contain its key. */
export const oidcConfig = configSection({
  variables: { OIDC_PROVIDERS: z.string().optional() },
  furtherNames: (raw) => keysIn(raw).flatMap((key) => Object.values(variablesOf(key))),
  secrets: (raw) => keysIn(raw).map((key) => variablesOf(key).clientSecret),
  check: providerProblems,
  read: (_env, raw): { oidc: ProviderConfig[] } => ({ oidc: providersFrom(raw) }),
});

const keysIn = (raw: RawEnvironment) =>
  commaSeparated(raw.OIDC_PROVIDERS ?? "").filter((key) => KEY.test(key));

const KEY = /^[a-z][a-z0-9-]{0,31}$/;
/** A scope in the syntax of RFC 6749. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const MAX_NAME = 100;

/** Returns all problems of `OIDC_PROVIDERS` and of the variables of each provider. No problem contains a value. */
function providerProblems(raw: RawEnvironment): string[] {
  const keys = commaSeparated(raw.OIDC_PROVIDERS ?? "");
  const isWellFormed =
    isListOf(raw.OIDC_PROVIDERS, (key) => KEY.test(key)) && new Set(keys).size === keys.length;
  const problems = isWellFormed
    ? []
    : [
        "OIDC_PROVIDERS must be a comma-separated list of distinct keys of lower-case letters, digits and hyphens",
      ];
  return [
    ...problems,
    ...[...new Set(keys)].filter((key) => KEY.test(key)).flatMap((key) => problemsOf(key, raw)),
  ];
}

/** Returns the configured providers. Call only if `providerProblems` found no problem. */
function providersFrom(raw: RawEnvironment): ProviderConfig[] {
  return commaSeparated(raw.OIDC_PROVIDERS ?? "").map((key) => {
    const names = variablesOf(key);
    return {
      key,
      issuer: raw[names.issuer] ?? "",
      clientId: raw[names.clientId] ?? "",
      clientSecret: raw[names.clientSecret] ?? "",
      name: raw[names.name]?.trim() ?? key,
      scopes: raw[names.scopes]?.trim().split(/ +/).join(" ") ?? "openid email profile",
      provesEmails: raw[names.emails]?.trim() === "verified",
    };
  });
}

function variablesOf(key: string) {
  const prefix = `OIDC_${key.toUpperCase().replaceAll("-", "_")}_`;
  return {
    issuer: `${prefix}ISSUER`,
    clientId: `${prefix}CLIENT_ID`,
    clientSecret: `${prefix}CLIENT_SECRET`,
    name: `${prefix}NAME`,
    scopes: `${prefix}SCOPES`,
    emails: `${prefix}EMAILS`,
  };
}

function problemsOf(key: string, raw: RawEnvironment): string[] {
  const names = variablesOf(key);
  const required = [names.issuer, names.clientId, names.clientSecret];
  const problems = missingVariables(raw, required, `because OIDC_PROVIDERS names ${key}`);
  const issuer = raw[names.issuer];
  if (issuer && !isIssuer(issuer))
    problems.push(`${names.issuer} must be an absolute URL without query, fragment, user and password`);
  // TLS is required for the issuer: an attacker who could change its responses could sign in as any user.
  else if (issuer?.toLowerCase().startsWith("http:") && isProduction(raw))
    problems.push(`${names.issuer} must begin with https:// in production`);
  const name = raw[names.name]?.trim();
  if (name && (hasControl(name) || [...name].length > MAX_NAME))
    problems.push(`${names.name} must be one line of at most ${MAX_NAME} characters`);
  const scopes = raw[names.scopes]?.trim().split(/ +/);
  if (scopes && !(scopes.every((scope) => SCOPE.test(scope)) && scopes.includes("openid")))
    problems.push(`${names.scopes} must be scopes separated by spaces, openid among them`);
  const emails = raw[names.emails]?.trim();
  if (emails && emails !== "verified") problems.push(`${names.emails} must be verified, or unset`);
  return problems;
}

function isIssuer(value: string): boolean {
  if (!isUrl(value, ["http:", "https:"]) || /[?#]/.test(value)) return false;
  const { username, password } = new URL(value);
  return username === "" && password === "";
}
