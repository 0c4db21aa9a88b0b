import type { z } from "zod";
import { type Call, tokenHash } from "#kit";
import { fromStored, type Product, type ProductCall, theProduct } from "#kit/inside";
import * as queries from "#sql/product-api";
import { isApiKey, looksLikeApiKey } from "../../core/access/token-forms.ts";
import { decidePlan } from "../../core/plans/effective-plan.ts";
import { productFeaturesOf } from "../../core/plans/plan-file.ts";
import { findApiKey } from "../service-accounts/find-api-key.ts";
import { grantsOf } from "./grants.ts";
import { CACHE_SECONDS, type Check, type CheckBody, type REASONS } from "./schemas.ts";

type CheckResult = z.output<typeof Check>;
type Active = Extract<CheckResult, { active: true }>;
type CheckRequest = z.output<typeof CheckBody>;

/**
 * Returns who a token belongs to, or the account of a person or a service account in an organization, and their
 * permissions of the manifest there, all as they are in the database now (rules 36.7).
 */
export async function check(call: ProductCall, request: CheckRequest): Promise<CheckResult> {
  const result = await resultFor(call, request);
  const outcome = result.active ? "active" : result.reason;
  call.app.meter.count("product_checks_total", { outcome });
  return result;
}

function resultFor(call: ProductCall, { token, ip, organizationId, userId, serviceAccountId }: CheckRequest) {
  if (token !== undefined && looksLikeApiKey(token)) return ofKey(call, token, ip ?? null, organizationId);
  if (token !== undefined) return ofToken(call, token, organizationId);
  if (userId !== undefined) return ofPerson(call, { userId, organizationId: organizationId ?? null });
  return ofMachine(call, serviceAccountId ?? "", organizationId ?? "");
}

async function ofToken(call: Call, token: string, wanted: string | undefined): Promise<CheckResult> {
  const claims = await call.app.accessTokens.inspect(token);
  if (typeof claims === "string") return inactive(claims);
  const { sub: userId, sid: sessionId, isPlatformAdmin, organization, mustEnableTwoFactor } = claims;
  if (mustEnableTwoFactor) return inactive("TWO_FACTOR_REQUIRED");
  const isOther = wanted !== undefined && wanted !== organization?.id;
  // Only a platform administrator may name another organization: by the token, and still now.
  if (isOther && !isPlatformAdmin) return inactive("NOT_A_MEMBER");
  const organizationId = wanted ?? organization?.id ?? null;
  return ofPerson(call, { userId, sessionId, organizationId, mustBePlatformAdmin: isOther });
}

type Person = {
  userId: string;
  organizationId: string | null;
  sessionId?: string;
  mustBePlatformAdmin?: boolean;
};

async function ofPerson(
  call: Call,
  { userId, organizationId, sessionId, mustBePlatformAdmin = false }: Person,
): Promise<CheckResult> {
  const product = theProduct() as Product;
  const wanted = { userId, organizationId, sessionId: sessionId ?? null, ...namesOf(product) };
  const [row] = await queries.findPersonStanding.run(wanted, call.db);
  const hasSession = sessionId !== undefined;
  if (row === undefined) return inactive(hasSession ? "ENDED" : "NOT_A_MEMBER");
  const { isPlatformAdmin } = row;
  // A reason in the organization is returned before `ENDED`, because the session usually ended for that reason.
  if (organizationId === null)
    return inactive(hasSession && !row.isSessionLive ? "ENDED" : "NO_ORGANIZATION");
  const mayAct = isPlatformAdmin || (row.isMember && !mustBePlatformAdmin);
  if (row.organizationId === null || !mayAct) return inactive("NOT_A_MEMBER");
  if (row.status === "SUSPENDED" && !isPlatformAdmin) return inactive("SUSPENDED");
  if (hasSession && !row.isSessionLive) return inactive("ENDED");
  const grants = isPlatformAdmin
    ? { permissions: Object.keys(product.permissions), unitGrants: [] }
    : grantsOf(product, row.grants);
  return {
    active: true,
    actor: {
      type: "user",
      id: row.id,
      email: row.email,
      name: row.name,
      language: fromStored(row.language),
      isPlatformAdmin,
    },
    organization: organizationOf(call, row),
    ...grants,
    authenticatedAt: row.provedAt === null ? null : new Date(row.provedAt * 1000).toISOString(),
    cacheSeconds: CACHE_SECONDS,
  };
}

async function ofKey(
  call: Call,
  token: string,
  ip: string | null,
  wanted: string | undefined,
): Promise<CheckResult> {
  const key = isApiKey(token) ? await findApiKey(call.db, tokenHash(token), ip) : null;
  if (key === null) return inactive("INVALID");
  if (key.isRevoked) return inactive("ENDED");
  if (key.isExpired) return inactive("EXPIRED");
  if (key.actor === null) return inactive("ENDED");
  if (!key.isAddressAllowed) return inactive("IP_NOT_ALLOWED");
  if (wanted !== undefined && wanted !== key.organizationId) return inactive("NOT_A_MEMBER");
  return ofMachine(call, key.serviceAccountId, key.organizationId);
}

async function ofMachine(call: Call, serviceAccountId: string, organizationId: string): Promise<CheckResult> {
  const product = theProduct() as Product;
  const wanted = { serviceAccountId, organizationId, ...namesOf(product) };
  const [row] = await queries.findMachineStanding.run(wanted, call.db);
  if (row === undefined) return inactive("NOT_A_MEMBER");
  if (!row.isEnabled) return inactive("ENDED");
  if (row.status === "SUSPENDED") return inactive("SUSPENDED");
  const language = call.app.config.defaultLanguage;
  return {
    active: true,
    actor: {
      type: "service_account",
      id: row.id,
      email: null,
      name: row.name,
      language,
      isPlatformAdmin: false,
    },
    organization: organizationOf(call, row),
    ...grantsOf(product, row.grants),
    authenticatedAt: null,
    cacheSeconds: CACHE_SECONDS,
  };
}

const inactive = (reason: (typeof REASONS)[number]): CheckResult => ({ active: false, reason });

const namesOf = ({ permissions }: Product) => ({
  names: Object.keys(permissions),
  inUnits: Object.keys(permissions).filter((name) => permissions[name]?.scope === "unit"),
});

type Row = Pick<
  queries.IFindPersonStandingResult,
  | "organizationId"
  | "organizationName"
  | "organizationSlug"
  | "planOverride"
  | "isOnTrial"
  | "subscriptionStatus"
  | "priceId"
>;

/** The organization with its plan, and the features of the manifest that the plan includes. */
function organizationOf({ app }: Call, row: Row): Active["organization"] {
  const { plans, prices } = app.config.billing;
  const plan = plans && decidePlan(plans, prices, { ...row, status: row.subscriptionStatus }).plan;
  return {
    id: row.organizationId ?? "",
    name: row.organizationName ?? "",
    slug: row.organizationSlug ?? "",
    plan: plan?.key ?? null,
    features: productFeaturesOf(plan),
  };
}
