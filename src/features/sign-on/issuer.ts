import type { Config } from "#kit";
import { isAllowedTarget, isLoopbackUrl, type OutgoingRules } from "../../platform/http/outgoing-rules.ts";

type Rules = Pick<Config, "ssoAllowedNetworks" | "production" | "appUrl" | "apiUrl">;

const MAX_LENGTH = 2_048;
const HTTPS_PORT = 443;
/** The first part of the path of an issuer that stands for many organizations, as Microsoft Entra ID has them. */
const MULTI_TENANT = new Set(["common", "organizations", "consumers"]);
/** The organization of all private accounts at Microsoft. */
const PRIVATE_ACCOUNTS = "9188040d-6c67-4c5b-b112-36a304b66dad";

/** Returns where calls to identity providers may go. */
export const providerRules = (config: Rules): OutgoingRules => ({
  ports: [HTTPS_PORT],
  networks: config.ssoAllowedNetworks,
  requiresTls: true,
  ownUrls: [config.appUrl, config.apiUrl],
});

/** Whether a URL is that of a provider on the developer's own machine. There is none in production. */
export const isOnThisMachine = (url: URL, { production }: Pick<Config, "production">): boolean =>
  !production && isLoopbackUrl(url);

/** Whether the service may call a provider at this URL. The addresses of its host are checked at each call. */
export const isAllowedProvider = (url: URL, config: Rules): boolean =>
  isOnThisMachine(url, config) || (url.protocol === "https:" && isAllowedTarget(url, providerRules(config)));

/** Returns what is wrong with the text of an issuer, or null. Does not say where calls are refused. */
export function issuerProblem(text: string, config: Rules): string | null {
  if (isOfManyOrganizations(text)) return "must be the issuer of one organization";
  const url = text.length > MAX_LENGTH || /[\s?#\\]|[^\x21-\x7e]/.test(text) ? null : URL.parse(text);
  const isIssuer =
    url !== null &&
    url.username === "" &&
    url.password === "" &&
    (url.protocol === "https:" || (url.protocol === "http:" && isOnThisMachine(url, config)));
  return isIssuer ? null : "must be an https URL without query, fragment, user and password";
}

function isOfManyOrganizations(text: string): boolean {
  if (/[{}]|%7b|%7d/i.test(text)) return true;
  const [first = "", second, third] = (URL.parse(text)?.pathname.slice(1) ?? "").toLowerCase().split("/");
  const isWhole = second === undefined || ((second === "" || second === "v2.0") && !third);
  return isWhole && (MULTI_TENANT.has(first) || first === PRIVATE_ACCOUNTS);
}
