import { setRoutes } from "../core/access/app-scopes.ts";
import type { Feature } from "../core/api/feature.ts";
import { definitionsOf } from "../core/api/router.ts";
import { setTools } from "../core/api/tool.ts";
import { compose } from "../core/definitions/features.ts";
import { FEED_ONLY_TYPES } from "../core/effects/feed-entry.ts";
import { setProduct } from "../core/manifest/current.ts";
import { entityOf, type TakenNames } from "../core/manifest/faults.ts";
import { readManifest } from "../core/manifest/read.ts";
import { accounts } from "../features/accounts/feature.ts";
import { audit } from "../features/audit/feature.ts";
import { billing } from "../features/billing/feature.ts";
import { connectedApps } from "../features/connected-apps/feature.ts";
import { departures } from "../features/departures/feature.ts";
import { domains } from "../features/domains/feature.ts";
import { emailChange } from "../features/email-change/feature.ts";
import { eventTypes } from "../features/event-types/feature.ts";
import { events } from "../features/events/feature.ts";
import { frontDoor } from "../features/front-door/feature.ts";
import { helpdesk } from "../features/helpdesk/feature.ts";
import { identities } from "../features/identities/feature.ts";
import { invitations } from "../features/invitations/feature.ts";
import { joining } from "../features/joining/feature.ts";
import { members } from "../features/members/feature.ts";
import { notifications } from "../features/notifications/feature.ts";
import { organizations } from "../features/organizations/feature.ts";
import { overview } from "../features/overview/feature.ts";
import { passkeys } from "../features/passkeys/feature.ts";
import { personalData } from "../features/personal-data/feature.ts";
import { featureOf } from "../features/product-api/declared.ts";
import { productApi } from "../features/product-api/feature.ts";
import { profile } from "../features/profile/feature.ts";
import { roles } from "../features/roles/feature.ts";
import { serviceAccounts } from "../features/service-accounts/feature.ts";
import { sessions } from "../features/sessions/feature.ts";
import { signOn } from "../features/sign-on/feature.ts";
import { signOnPolicy } from "../features/sign-on-policy/feature.ts";
import { todos } from "../features/todos/feature.ts";
import { twoFactor } from "../features/two-factor/feature.ts";
import { units } from "../features/units/feature.ts";
import { users } from "../features/users/feature.ts";
import { webhooks } from "../features/webhooks/feature.ts";
import { isProduction } from "../platform/environment.ts";
import { product } from "../product/index.ts";
import { documentOrder } from "./document-order.ts";

/**
 * Every feature. The OpenAPI document has the same order. If two paths match, the first one wins: `/members/invitations`
 * comes before `/members/{userId}`, and `/reauthenticate/options` before `/reauthenticate/{provider}`.
 */
export const features = [
  sessions,
  accounts,
  frontDoor,
  twoFactor,
  profile,
  passkeys,
  identities,
  emailChange,
  personalData,
  notifications,
  organizations,
  overview,
  units,
  roles,
  invitations,
  joining,
  members,
  departures,
  serviceAccounts,
  signOn,
  signOnPolicy,
  domains,
  todos,
  audit,
  events,
  eventTypes,
  webhooks,
  billing,
  connectedApps,
  helpdesk,
  users,
  productApi,
  ...product,
] as const;

/** What the features of this repository have as names. A manifest cannot have them. */
const namesOf = (
  kind: "permissions" | "limits" | "planFeatures" | "audit" | "targets" | "events" | "notifications",
) => new Set((features as readonly Feature[]).flatMap((feature) => Object.keys(feature[kind] ?? {})));
const taken: TakenNames = {
  permissions: new Set([...namesOf("permissions")].map(entityOf)),
  limits: namesOf("limits"),
  features: namesOf("planFeatures"),
  audit: namesOf("audit"),
  targets: namesOf("targets"),
  events: new Set([...namesOf("events"), "webhook.test", ...FEED_ONLY_TYPES]),
  notifications: namesOf("notifications"),
};

/** Reads a manifest, whose names must not be those of the service. */
export const readProduct = (path: string | null, http: boolean) => readManifest(path, taken, { http });

/**
 * The product whose code runs elsewhere. Its manifest is read here, when the process starts, because constants of many modules
 * are made of the names of all features; src/app/config.ts reports its faults.
 */
export const ofProcess = readProduct(process.env.PRODUCT_FILE?.trim() || null, !isProduction(process.env));
setProduct(ofProcess.product);

/** Every feature, with what the manifest declares. */
export const all: readonly Feature[] = [
  ...features,
  ...(ofProcess.product === null ? [] : [featureOf(ofProcess.product)]),
];
compose(all, documentOrder);
setRoutes(() => all.flatMap(({ routes = [] }) => routes.flatMap(definitionsOf)));
setTools(all.flatMap(({ tools = [] }) => tools));
