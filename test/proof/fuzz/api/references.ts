import { codeOfStep, currentStep, fromBase32 } from "../../../support/two-factor.ts";
import { passwordOf } from "./accounts.ts";
import { appText } from "./apps.ts";
import { type CallerName, ORGANIZATIONS, type OrganizationName, VISIBLE_ORGANIZATIONS } from "./callers.ts";
import type { Fixture } from "./fixture.ts";
import { RECOVERY_CODES, SECRET } from "./tokens.ts";

const REFERENCE = /@@(\w+):(\d+)/g;

/**
 * Rules for resolving references: ids of the kind `foreign` belong to another organization, or to no record if
 * `isUnknown`. All other ids belong to the caller's organization.
 */
export type ReferenceContext = { caller: CallerName; foreign: string | null; isUnknown?: boolean };

const VISIT_FIELDS = ["code", "state", "iss"] as const;

/** Returns the kinds of records that a plan refers to by their ids. */
export const kindsIn = (plan: unknown): string[] =>
  [...new Set([...JSON.stringify(plan).matchAll(REFERENCE)].map(([, kind = ""]) => kind))].filter(
    (kind) => kind in RECORD_KINDS,
  );
/** The kind of record to which each kind of reference refers. */
const RECORD_KINDS: Record<string, string> = {
  ...{ role: "role", unit: "unit", user: "user", invitation: "invitation", todo: "todo", ticket: "ticket" },
  ...{ organization: "organization", notification: "notification", ownTicket: "ticket" },
  ...{ serviceAccount: "serviceAccount", apiKey: "apiKey", event: "event" },
  ...{ webhookEndpoint: "webhookEndpoint", webhookDelivery: "webhookDelivery" },
  ...{ connection: "connection", mapping: "mapping", setupLink: "setupLink", test: "test" },
  ...{ domain: "domain", joinRequest: "joinRequest" },
  ...{ oauthClient: "oauthClient", approvedApp: "approvedApp", connectedApp: "connectedApp" },
};

/** Replaces the references in a value, at any depth. */
export function resolveReferences<T>(value: T, fixture: Fixture, context: ReferenceContext): T {
  if (typeof value === "string" && value.startsWith("@@passkeyResponse:"))
    return (fixture.ceremonies.get(context.caller)?.response ?? {}) as T;
  if (typeof value === "string")
    return value.replace(REFERENCE, (_, kind, number) =>
      resolve(kind, Number(number), fixture, context),
    ) as T;
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, fixture, context)) as T;
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, resolveReferences(item, fixture, context)]),
    ) as T;
  return value;
}

const itemAt = (items: string[], number: number, fallback: string) =>
  items[number % items.length] ?? fallback;
const UNKNOWN_ID = "0190c7a0-5b1f-7d3e-9c52-1f6a2b7c8d9e";

/** Resolves a reference. Of eight ids, five belong to the caller's organization, one to another, and two are of earlier responses. */
function resolve(
  kind: string,
  number: number,
  fixture: Fixture,
  { caller, foreign, isUnknown }: ReferenceContext,
): string {
  const rest = Math.floor(number / 8);
  switch (kind) {
    case "password":
      return passwordOf(caller);
    case "email":
      return number % 4 !== 3 ? fixture.callers[caller].email : itemAt(fixture.emails, rest, "");
    case "freshEmail":
      return `fresh-${number}-${fixture.organizations.own.slug}@example.com`;
    case "token":
      if (number % 5 > 0 && fixture.links.has(caller)) return fixture.links.get(caller) ?? "";
      return itemAt(fixture.tokens, rest, "");
    case "challengeToken":
      if (fixture.ceremonies.has(caller)) return fixture.ceremonies.get(caller)?.challengeToken ?? "";
      return itemAt(number % 8 === 7 ? fixture.tokens : fixture.challenges, rest, "");
    case "searchTerm":
      return itemAt(number % 2 === 0 ? fixture.ticketNumbers : fixture.searchTerms, rest, "");
    case "slug":
      return itemAt(
        ORGANIZATIONS.map((name) => fixture.organizations[name].slug),
        rest,
        "",
      );
    case "code":
      return codeOfStep(fromBase32(fixture.secrets.get(caller) ?? SECRET), currentStep() + (number % 3) - 1);
    case "receiver":
      return fixture.receiverUrl;
    case "issuer":
      return fixture.issuer;
    case "domainName":
      return number % 4 > 0
        ? `fresh-${number}-${fixture.signOn.own.domain}`
        : fixture.signOn[itemAt([...ORGANIZATIONS], rest, "own") as OrganizationName].domain;
    case "recoveryCode":
      return itemAt(RECOVERY_CODES, rest, "");
    case "provider":
      return itemAt(["google", "google", "google", "none", "__proto__"], rest, "");
    case "apiKeyText":
      return itemAt(fixture.strayKeys, rest, "");
    case "appQuery":
      return itemAt(fixture.apps.queries, number, "");
    case "appRequest":
      return fixture.apps.requests.get(caller)?.requestToken ?? "";
    case "appCode":
    case "appToken":
    case "appClient":
    case "appSecret":
      return appText(fixture.apps, kind, number);
    case "visit":
      return fixture.providerVisits.get(caller)?.[VISIT_FIELDS[number] ?? "code"] ?? "none";
  }
  const own = VISIBLE_ORGANIZATIONS[caller][0] ?? "own";
  const other = ORGANIZATIONS.filter((name) => name !== own)[rest % 3] ?? "other";
  if (foreign === kind) {
    if (isUnknown) return UNKNOWN_ID;
    const name = RECORD_KINDS[kind] ?? kind;
    const { ids: ofOwn } = fixture.organizations[own];
    const ofOther = fixture.organizations[other].ids[name] ?? [];
    // Some people are members of both.
    return itemAt(
      ofOther.filter((id) => !ofOwn[name]?.includes(id)),
      rest,
      UNKNOWN_ID,
    );
  }
  const ids = fixture.organizations[foreign === null && number % 8 === 5 ? other : own].ids;
  const inserted = kind === "any" ? Object.values(ids).flat() : (ids[kind] ?? []);
  if (number % 8 < 6 && inserted.length > 0) return itemAt(inserted, rest, UNKNOWN_ID);
  const recorded = fixture.recordedIds.filter(
    (record) => kind === "any" || record.kind === (RECORD_KINDS[kind] ?? kind),
  );
  const ofCaller = recorded.filter((record) => record.caller === caller);
  // Chooses the newest id, because its record is most likely to exist still.
  const candidates = ofCaller.length > 0 && number % 16 < 13 ? ofCaller : recorded;
  return itemAt(candidates.map(({ id }) => id).toReversed(), rest % 5, UNKNOWN_ID);
}
