import { type Given, isListOf, isUrl, list } from "../../platform/environment.ts";
import { hasControl } from "../../platform/text.ts";

/** An OpenID provider that people may sign in with, as the environment names it (rules 24.9). */
export type ProviderConfig = {
  /** How routes and the client call it. */
  key: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** What people read. */
  name: string;
  scopes: string;
};

const KEY = /^[a-z][a-z0-9-]{0,31}$/;
/** A scope as RFC 6749 writes one. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const MAX_NAME = 100;

/** Every mistake of `OIDC_PROVIDERS` and of what each provider needs; none shows a value. */
export function providerProblems(given: Given): string[] {
  const keys = list(given.OIDC_PROVIDERS ?? "");
  const isWellFormed =
    isListOf(given.OIDC_PROVIDERS, (key) => KEY.test(key)) && new Set(keys).size === keys.length;
  const problems = isWellFormed
    ? []
    : [
        "OIDC_PROVIDERS must be a comma-separated list of distinct keys of lower-case letters, digits and hyphens",
      ];
  return [
    ...problems,
    ...[...new Set(keys)].filter((key) => KEY.test(key)).flatMap((key) => problemsOf(key, given)),
  ];
}

/** The providers, where `providerProblems` found nothing. */
export function providersFrom(given: Given): ProviderConfig[] {
  return list(given.OIDC_PROVIDERS ?? "").map((key) => {
    const names = variablesOf(key);
    return {
      key,
      issuer: given[names.issuer] ?? "",
      clientId: given[names.clientId] ?? "",
      clientSecret: given[names.clientSecret] ?? "",
      name: given[names.name]?.trim() ?? key,
      scopes: given[names.scopes]?.trim().split(/ +/).join(" ") ?? "openid email profile",
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
  };
}

function problemsOf(key: string, given: Given): string[] {
  const names = variablesOf(key);
  const problems = [names.issuer, names.clientId, names.clientSecret]
    .filter((name) => !given[name])
    .map((name) => `${name} is required because OIDC_PROVIDERS names ${key}`);
  const issuer = given[names.issuer];
  if (issuer && !isIssuer(issuer))
    problems.push(`${names.issuer} must be an absolute URL without query, fragment, user and password`);
  // Whoever could change what an issuer says in the clear could sign in as anybody.
  else if (issuer?.toLowerCase().startsWith("http:") && given.NODE_ENV === "production")
    problems.push(`${names.issuer} must begin with https:// in production`);
  const name = given[names.name]?.trim();
  if (name && (hasControl(name) || [...name].length > MAX_NAME))
    problems.push(`${names.name} must be one line of at most ${MAX_NAME} characters`);
  const scopes = given[names.scopes]?.trim().split(/ +/);
  if (scopes && !(scopes.every((scope) => SCOPE.test(scope)) && scopes.includes("openid")))
    problems.push(`${names.scopes} must be scopes separated by spaces, openid among them`);
  return problems;
}

function isIssuer(value: string): boolean {
  if (!isUrl(value, ["http:", "https:"]) || /[?#]/.test(value)) return false;
  const { username, password } = new URL(value);
  return username === "" && password === "";
}
