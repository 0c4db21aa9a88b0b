import { expect, test } from "bun:test";
import * as tickets from "#sql/helpdesk/tickets";
import * as todos from "#sql/todos";
import { exactlyOne } from "../../src/platform/db/prepared-query.ts";
import { AUTHORIZATIONS, beginAs, insertClient, insertGrant, queryOf } from "../support/apps.ts";
import { type ApiResponse, type Caller, claimsOf } from "../support/caller.ts";
import { CONNECTIONS, connectionTo, linkTo, MAPPINGS, SETUP_LINKS } from "../support/connections.ts";
import { DOMAINS } from "../support/domains.ts";
import {
  download,
  ORGANIZATION_TICKETS,
  OWN_TICKETS,
  PLATFORM_TICKETS,
  report,
  reportBody,
} from "../support/helpdesk.ts";
import { pngWith } from "../support/images.ts";
import { ACCOUNTS, createAccount, createKey, createMachine, keyPath } from "../support/machines.ts";
import { assignments, createOrganization, roleId } from "../support/organizations.ts";
import { idOf } from "../support/outcomes.ts";
import { eventsAfter } from "../support/outgoing-events.ts";
import { productCases } from "../support/product-cases.ts";
import { definitions } from "../support/routes.ts";
import { startService, uniqueEmail } from "../support/service.ts";
import { inAnotherBrowser } from "../support/sessions.ts";
import { insertConnection } from "../support/sign-on.ts";
import { ownStorage } from "../support/storage.ts";
import { createEndpoint, ENDPOINTS } from "../support/webhooks.ts";

/** A response of a browser that no passkey made. */
const ASSERTION = {
  id: "AAAA",
  rawId: "AAAA",
  type: "public-key",
  response: { clientDataJSON: "e30", authenticatorData: "AAAA", signature: "AAAA" },
};

/*
 * The permission matrix: every route is called by eight callers with a record in one unit. A new route needs a row
 * here. The columns are: platform administrator; administrator of the organization; administrators of the unit's
 * parent, of the unit and of a sibling unit; a plain member; an administrator of another organization; a caller
 * without a token.
 */

const t = await startService({ ...(await ownStorage()).environment, OAUTH_APPS: "any" });
const org = await createOrganization(t);
const parent = await org.unit("Parent");
const unit = await org.unit("Unit", parent);
const sibling = await org.unit("Sibling", parent);
const stranger = await createOrganization(t, "Elsewhere");
const callers: Caller[] = [
  await t.platformAdmin(),
  org.admin,
  await org.member({ role: "UNIT_ADMIN", unit: parent }),
  await org.member({ role: "UNIT_ADMIN", unit }),
  await org.member({ role: "UNIT_ADMIN", unit: sibling }),
  await org.member({ role: "MEMBER" }),
  stranger.admin,
  t.anonymous(),
];
const visitor = await t.person();
const oauthClient = await insertClient(t);
/** Returns the token of an authorization request that was shown to a caller. */
const shownTo = async (who: Caller): Promise<string> =>
  who.accessToken?.startsWith("ey") ? (await beginAs(who, queryOf(oauthClient))).requestToken : "none";
const named = { headers: { "x-organization-id": org.id } };
const numberOf = (who: Caller) => callers.findIndex(({ email }) => email === who.email);
/** The platform administrator must name the organization in a header; no other caller may send it. */
const at = (who: Caller) => (numberOf(who) === 0 ? named : {});
const db = { query: (text: string, values: unknown[]) => t.sql(text, values) };

/** Creates a new member of the unit for each call, because calls may change the member. */
async function target(): Promise<string> {
  const [user] = await t.sql<{ id: string }>(
    `INSERT INTO users (email, first_name, last_name, language, email_verified_at)
     VALUES ($1, 'Tara', 'Target', 'EN', now()) RETURNING id`,
    [uniqueEmail()],
  );
  await org.addUser(user?.id ?? "", { role: "MEMBER", unit });
  return user?.id ?? "";
}
const targetRole = async () =>
  exactlyOne(
    await t.sql<{ id: string }>(
      "INSERT INTO roles (organization_id, name, permissions) VALUES ($1, $2, '{Units.Read}') RETURNING id",
      [org.id, crypto.randomUUID()],
    ),
  ).id;
const targetTodo = async () => {
  const todo = { organizationId: org.id, userId: await target(), title: "Target" };
  return exactlyOne(await todos.insertTodo.run(todo, db)).id;
};
const targetTicket = async () => {
  const about = { id: null, pagePath: null, browser: null, appVersion: null };
  const given = { ...about, ...reportBody(), organizationId: org.id, reporterId: await target() };
  return exactlyOne(await tickets.insertTicket.run(given, db)).id;
};
/** Creates an image in a ticket of a member of the unit; returns its id. */
const targetImage = async () => {
  const { messages } = await report(await org.member({ role: "MEMBER", unit }), {}, [pngWith()]);
  return messages[0]?.attachments[0]?.id ?? "";
};
/** Creates an invitation whose mail is old enough to be sent again. */
async function targetInvitation(): Promise<string> {
  const body = { email: uniqueEmail(), ...assignments({ role: "MEMBER", unit }) };
  const { id } = (await org.admin.post("/api/members/invitations", body)).body;
  await t.age("user_invitations", { id }, { minutes: 2 });
  return id;
}
/** A domain of the organization, of which there is never another one. */
async function targetDomain(): Promise<string> {
  await t.sql("DELETE FROM organization_domains WHERE organization_id = $1", [org.id]);
  const { id } = (await org.admin.post(DOMAINS, { domain: "acme.com" })).body;
  return `${DOMAINS}/${id}`;
}
/** A connection of the organization, of which there are never many. */
async function targetConnection(status = "DRAFT"): Promise<string> {
  await t.sql("UPDATE sso_connections SET is_deleted = true, deleted_at = now() WHERE organization_id = $1", [
    org.id,
  ]);
  return `${CONNECTIONS}/${await insertConnection(t, org, status)}`;
}
const bodyOfMapping = async () => ({
  connectionId: await insertConnection(t, org),
  group: crypto.randomUUID(),
  roleId: roleId("MEMBER"),
});
async function targetMapping(): Promise<string> {
  const { id } = (await org.admin.post(MAPPINGS, await bodyOfMapping())).body;
  return `${MAPPINGS}/${id}`;
}
const targetAccount = () => createAccount(org, { role: "UNIT_ADMIN", unit });
const targetKey = async () => keyPath(await createKey(org, await targetAccount()));
/** A connected app of a member of the unit. */
const targetApp = async () => {
  const { grantId } = await insertGrant(t, { userId: await target(), organizationId: org.id });
  return `${CONNECTED_APPS}/${grantId}`;
};
const somewhere = async () => (await createOrganization(t, "Target")).id;
/** Signs in with another browser, because the call consumes the refresh cookie. */
const withCookie = async (who: Caller) => (numberOf(who) === 7 ? who : inAnotherBrowser(who));

type Send = (who: Caller) => Promise<ApiResponse>;
const get =
  (path: string | (() => Promise<string>)): Send =>
  async (who) =>
    who.get(typeof path === "string" ? path : await path(), at(who));

/** The rows of the product's resources. */
const ofProduct = () =>
  Object.assign(
    {},
    ...productCases.map(({ matrix }) => matrix({ t, organizationId: org.id, target, get, at })),
  );

const CONNECTED_APPS = "/api/organization/connected-apps";
const HOOK = "https://hooks.example.com/a";

/** A webhook endpoint of the organization, of which there are never many. */
async function targetEndpoint(): Promise<string> {
  await t.sql("UPDATE webhook_endpoints SET is_deleted = true WHERE organization_id = $1", [org.id]);
  return (await createEndpoint(org.admin, HOOK)).path;
}

/** A finished delivery of an endpoint. */
/** A delivery of an event that is still kept, because only such a delivery can be resent. */
async function targetDelivery(): Promise<string> {
  const path = await targetEndpoint();
  const [delivery] = await t.sql<{ id: string }>(
    `INSERT INTO webhook_deliveries (endpoint_id, organization_id, event_id, event_recorded_at, event_type, sequence, state)
     SELECT $1, $2, id, recorded_at, type, sequence, 'SUCCEEDED' FROM events WHERE id = $3 RETURNING id`,
    [path.slice(path.lastIndexOf("/") + 1), org.id, await targetEvent()],
  );
  return `${path}/deliveries/${delivery?.id}`;
}

/** An event about the unit. */
async function targetEvent(): Promise<string> {
  await org.admin.patch(`/api/units/${unit}`, { name: crypto.randomUUID() });
  const { events } = await eventsAfter(t, org.admin, null, `objectId=${unit}`);
  return events.at(-1)?.id ?? "";
}

const APPROVED = "/api/organization/approved-apps";
const CLIENTS = "/api/organization/oauth-clients";
const OPERATORS_CLIENTS = "/api/oauth-clients";
const CLIENT = { name: "Reporting", redirectUris: ["https://app.example.com/callback"] };

/** A confidential client of the organization or, with null, of the operator. */
const targetClient = async (organizationId: string | null = org.id) =>
  `${organizationId === null ? OPERATORS_CLIENTS : CLIENTS}/${await insertClient(t, { organizationId, secret: "secret" })}`;
async function targetApproval(): Promise<string> {
  const { id } = (await org.admin.post(APPROVED, { app: `${crypto.randomUUID()}.example.com` })).body;
  return `${APPROVED}/${id}`;
}

const UNKNOWN_ID = crypto.randomUUID();

const ROWS: Record<string, [Send, string]> = {
  ...ofProduct(),
  // Sign-in uses no cookies and another account, because it would end the callers' sessions.
  login: [() => t.anonymous().post("/api/auth/login", visitor.account), "200 200 200 200 200 200 200 200"],
  refresh: [async (who) => (await withCookie(who)).refresh(), "200 200 200 200 200 200 200 401"],
  logout: [
    async (who) => (await withCookie(who)).post("/api/auth/logout"),
    "204 204 204 204 204 204 204 401",
  ],
  switchOrganization: [
    async (who) => (await withCookie(who)).post("/api/auth/organization", { organizationId: org.id }),
    "403 200 200 200 200 200 403 401",
  ],
  register: [
    (who) =>
      who.post("/api/auth/register", {
        email: uniqueEmail(),
        password: "wide blue yonder",
        firstName: "Ada",
        lastName: "Lovelace",
      }),
    "202 202 202 202 202 202 202 202",
  ],
  verifyEmail: [
    (who) => who.post("/api/auth/verify-email", { token: "dead" }),
    "400 400 400 400 400 400 400 400",
  ],
  resendVerification: [
    (who) => who.post("/api/auth/resend-verification", { email: uniqueEmail() }),
    "202 202 202 202 202 202 202 202",
  ],
  forgotPassword: [
    (who) => who.post("/api/auth/forgot-password", { email: uniqueEmail() }),
    "202 202 202 202 202 202 202 202",
  ],
  resetPassword: [
    (who) => who.post("/api/auth/reset-password", { token: "dead", newPassword: "a longer blue yonder" }),
    "400 400 400 400 400 400 400 400",
  ],

  verifyTwoFactor: [
    (who) => who.post("/api/auth/2fa/verify", { challengeToken: "dead", code: "123456" }),
    "401 401 401 401 401 401 401 401",
  ],
  getTwoFactor: [get("/api/profile/2fa"), "200 200 200 200 200 200 200 401"],
  // No caller has enabled a second factor, and none has called setup before the first of these routes.
  enableTwoFactor: [
    (who) => who.post("/api/profile/2fa/enable", { code: "123456" }),
    "409 409 409 409 409 409 409 401",
  ],
  setUpTwoFactor: [
    (who) => who.post("/api/profile/2fa/setup", { password: who.account.password || "none" }),
    "200 200 200 200 200 200 200 401",
  ],
  disableTwoFactor: [
    (who) =>
      who.post("/api/profile/2fa/disable", { password: who.account.password || "none", code: "123456" }),
    "409 409 409 409 409 409 409 401",
  ],
  regenerateRecoveryCodes: [
    (who) => who.post("/api/profile/2fa/recovery-codes", { code: "123456" }),
    "409 409 409 409 409 409 409 401",
  ],

  // This service has no identity provider configured.
  getSettings: [get("/api/auth/settings"), "200 200 200 200 200 200 200 200"],
  listIdentityProviders: [get("/api/auth/providers"), "200 200 200 200 200 200 200 200"],
  beginProviderSignIn: [(who) => who.get("/api/auth/oidc/acme"), "404 404 404 404 404 404 404 404"],
  discoverConnection: [
    (who) => who.post("/api/auth/sso/discover", { email: "ada@example.com" }),
    "200 200 200 200 200 200 200 200",
  ],
  beginConnectionSignIn: [(who) => who.get(`/api/auth/sso/${UNKNOWN_ID}`), "404 404 404 404 404 404 404 404"],
  finishConnectionSignIn: [
    (who) => who.get(`/api/auth/sso/${UNKNOWN_ID}/callback`),
    "404 404 404 404 404 404 404 404",
  ],
  reauthenticateByConnection: [
    (who) => who.post(`/api/auth/sso/${UNKNOWN_ID}/reauthenticate`),
    "404 404 404 404 404 404 404 401",
  ],
  testConnection: [
    (who) => who.post(`/api/organization/connections/${UNKNOWN_ID}/test`, undefined, at(who)),
    "403 404 403 403 403 403 404 401",
  ],
  getConnectionTest: [
    get(`/api/organization/connections/${UNKNOWN_ID}/tests/${UNKNOWN_ID}`),
    "404 404 403 403 403 403 404 401",
  ],
  finishProviderSignIn: [(who) => who.get("/api/auth/oidc/acme/callback"), "404 404 404 404 404 404 404 404"],
  listIdentities: [get("/api/profile/identities"), "200 200 200 200 200 200 200 401"],
  linkIdentity: [
    (who) => who.post("/api/profile/identities/acme", { password: who.account.password }),
    "404 404 404 404 404 404 404 401",
  ],
  unlinkIdentity: [(who) => who.delete("/api/profile/identities/acme"), "404 404 404 404 404 404 404 401"],

  beginPasskeySignIn: [(who) => who.post("/api/auth/passkey/options"), "200 200 200 200 200 200 200 200"],
  signInWithPasskey: [
    (who) => who.post("/api/auth/passkey/verify", { challengeToken: "dead", response: ASSERTION }),
    "401 401 401 401 401 401 401 401",
  ],
  beginTwoFactorPasskey: [
    (who) => who.post("/api/auth/2fa/passkey/options", { challengeToken: "dead" }),
    "401 401 401 401 401 401 401 401",
  ],
  listPasskeys: [get("/api/profile/passkeys"), "200 200 200 200 200 200 200 401"],
  beginPasskeyRegistration: [
    (who) => who.post("/api/profile/passkeys/options"),
    "200 200 200 200 200 200 200 401",
  ],
  addPasskey: [
    (who) =>
      who.post("/api/profile/passkeys", {
        challengeToken: "dead",
        response: { ...ASSERTION, response: { clientDataJSON: "e30", attestationObject: "AAAA" } },
      }),
    "400 400 400 400 400 400 400 401",
  ],
  renamePasskey: [
    (who) => who.patch(`/api/profile/passkeys/${crypto.randomUUID()}`, { name: "Laptop" }),
    "404 404 404 404 404 404 404 401",
  ],
  removePasskey: [
    (who) => who.delete(`/api/profile/passkeys/${crypto.randomUUID()}`),
    "404 404 404 404 404 404 404 401",
  ],
  beginReauthenticationPasskey: [
    (who) => who.post("/api/profile/reauthenticate/options"),
    "200 200 200 200 200 200 200 401",
  ],
  reauthenticateByProvider: [
    (who) => who.post("/api/profile/reauthenticate/acme"),
    "404 404 404 404 404 404 404 401",
  ],
  getEmail: [get("/api/profile/email"), "200 200 200 200 200 200 200 401"],
  requestEmailChange: [
    (who) => who.post("/api/profile/email", { email: who.email || "nobody@example.com" }),
    "409 409 409 409 409 409 409 401",
  ],
  cancelOwnEmailChange: [(who) => who.delete("/api/profile/email"), "204 204 204 204 204 204 204 401"],
  confirmEmailChange: [
    (who) => who.post("/api/auth/confirm-email-change", { token: "dead" }),
    "400 400 400 400 400 400 400 400",
  ],
  cancelEmailChange: [
    (who) => who.post("/api/auth/cancel-email-change", { token: "dead" }),
    "400 400 400 400 400 400 400 400",
  ],
  undoEmailChange: [
    (who) => who.post("/api/auth/undo-email-change", { token: "dead" }),
    "400 400 400 400 400 400 400 400",
  ],

  getProfile: [get("/api/profile"), "200 200 200 200 200 200 200 401"],
  updateProfile: [
    (who) => who.patch("/api/profile", { firstName: "Grace" }),
    "200 200 200 200 200 200 200 401",
  ],
  changePassword: [
    (who) =>
      who.post("/api/profile/password", { currentPassword: "wrong", newPassword: "a longer blue yonder" }),
    "400 400 400 400 400 400 400 401",
  ],
  deleteProfile: [
    (who) => who.post("/api/profile/delete", { password: "wrong" }),
    "400 400 400 400 400 400 400 401",
  ],
  reauthenticate: [
    (who) => who.post("/api/profile/reauthenticate", { password: "wrong" }),
    "400 400 400 400 400 400 400 401",
  ],
  exportProfile: [
    (who) => who.post("/api/profile/export", { password: "wrong" }),
    "400 400 400 400 400 400 400 401",
  ],
  listOwnSessions: [get("/api/profile/sessions"), "200 200 200 200 200 200 200 401"],
  endOwnSession: [
    (who) => who.delete(`/api/profile/sessions/${crypto.randomUUID()}`),
    "404 404 404 404 404 404 404 401",
  ],
  listOwnConnectedApps: [get("/api/profile/connected-apps"), "200 200 200 200 200 200 200 401"],
  disconnectOwnApp: [
    (who) => who.delete(`/api/profile/connected-apps/${UNKNOWN_ID}`),
    "404 404 404 404 404 404 404 401",
  ],
  disconnectOwnApps: [(who) => who.delete("/api/profile/connected-apps"), "204 204 204 204 204 204 204 401"],
  listConnectedApps: [get(CONNECTED_APPS), "200 200 200 200 200 403 200 401"],
  getConnectedApp: [get(targetApp), "200 200 200 200 404 403 404 401"],
  disconnectApp: [async (who) => who.delete(await targetApp(), at(who)), "204 204 204 204 404 403 404 401"],
  getOwnConnectedApp: [get("/api/oauth/self"), "404 404 404 404 404 404 404 401"],
  endOtherOwnSessions: [(who) => who.delete("/api/profile/sessions"), "204 204 204 204 204 204 204 401"],
  listNotifications: [get("/api/notifications"), "200 200 200 200 200 200 200 401"],
  countUnreadNotifications: [get("/api/notifications/unread-count"), "200 200 200 200 200 200 200 401"],
  streamNotifications: [get("/api/notifications/stream"), "200 200 200 200 200 200 200 401"],
  sendTestNotification: [(who) => who.post("/api/notifications/test"), "201 201 201 201 201 201 201 401"],
  readNotification: [
    (who) => who.post(`/api/notifications/${crypto.randomUUID()}/read`),
    "404 404 404 404 404 404 404 401",
  ],
  readAllNotifications: [(who) => who.post("/api/notifications/read-all"), "204 204 204 204 204 204 204 401"],
  dismissNotification: [
    (who) => who.delete(`/api/notifications/${crypto.randomUUID()}`),
    "404 404 404 404 404 404 404 401",
  ],

  listMyOrganizations: [get("/api/auth/organizations"), "200 200 200 200 200 200 200 401"],
  createOrganization: [
    (who) => who.post("/api/auth/organizations", { name: "Founded" }),
    "403 201 201 201 201 201 201 401",
  ],
  getOrganizationOverview: [get("/api/organization/overview"), "200 200 200 200 200 200 200 401"],
  getHelpdeskOverview: [get("/api/organization/helpdesk/overview"), "200 200 200 200 200 403 200 401"],
  getPlatformOverview: [get("/api/platform/overview"), "200 403 403 403 403 403 403 401"],
  getOrganization: [get("/api/organization"), "200 200 200 200 200 200 200 401"],
  updateOrganization: [
    (who) => who.patch("/api/organization", { name: "Acme" }, at(who)),
    "200 200 403 403 403 403 200 401",
  ],
  leaveOrganization: [
    async (who) => {
      const index = numberOf(who);
      if (index === 0) return who.post("/api/organization/leave", undefined, named);
      // A member who has left cannot call again, so a new member with the same roles leaves.
      if (index === 7) return who.post("/api/organization/leave");
      const roles = [
        { role: "ORG_ADMIN" },
        { role: "ORG_ADMIN" },
        { role: "UNIT_ADMIN", unit: parent },
        { role: "UNIT_ADMIN", unit },
        { role: "UNIT_ADMIN", unit: sibling },
        { role: "MEMBER" },
        { role: "MEMBER" },
      ];
      const place = index === 6 ? stranger : org;
      return (await place.member(roles[index] ?? { role: "MEMBER" })).post("/api/organization/leave");
    },
    "403 204 204 204 204 204 204 401",
  ],
  listOrganizations: [get("/api/organizations"), "200 403 403 403 403 403 403 401"],
  foundOrganization: [
    (who) => who.post("/api/organizations", { name: "Made", ownerEmail: uniqueEmail() }),
    "201 403 403 403 403 403 403 401",
  ],
  getPlatformOrganization: [get(`/api/organizations/${org.id}`), "200 403 403 403 403 403 403 401"],
  updatePlatformOrganization: [
    (who) => who.patch(`/api/organizations/${org.id}`, { name: "Acme" }),
    "200 403 403 403 403 403 403 401",
  ],
  deleteOrganization: [
    async (who) => who.delete(`/api/organizations/${await somewhere()}`),
    "204 403 403 403 403 403 403 401",
  ],
  setOrganizationStatus: [
    async (who) => who.patch(`/api/organizations/${await somewhere()}/status`, { status: "SUSPENDED" }),
    "200 403 403 403 403 403 403 401",
  ],
  setPlanOverride: [
    (who) => who.patch(`/api/organizations/${org.id}/plan`, { planOverride: null }),
    "200 403 403 403 403 403 403 401",
  ],
  getBilling: [get("/api/organization/billing"), "200 200 403 403 403 403 200 401"],

  // Billing is not configured, which only callers with the permission learn.
  checkout: [
    (who) => who.post("/api/organization/billing/checkout", { plan: "pro", interval: "month" }, at(who)),
    "400 409 403 403 403 403 409 401",
  ],
  openPortal: [
    (who) => who.post("/api/organization/billing/portal", undefined, at(who)),
    "400 409 403 403 403 403 409 401",
  ],
  issueOAuthTokens: [(who) => who.post("/api/oauth/token", {}), "415 415 415 415 415 415 415 415"],
  revokeOAuthToken: [(who) => who.post("/api/oauth/revoke", {}), "415 415 415 415 415 415 415 415"],
  receivePaymentEvent: [(who) => who.post("/api/billing/webhook", {}), "409 409 409 409 409 409 409 409"],

  listUnits: [get("/api/units"), "200 200 200 200 200 200 200 401"],
  createUnit: [
    (who) => who.post("/api/units", { name: "New", parentId: unit }, at(who)),
    "201 201 201 201 403 403 400 401",
  ],
  createUnits: [
    (who) => who.post("/api/units/bulk", { paths: [["New"]], parentId: unit }, at(who)),
    "200 200 200 200 403 403 400 401",
  ],
  updateUnit: [
    async (who) => who.patch(`/api/units/${await org.unit("Target", unit)}`, { name: "Renamed" }, at(who)),
    "200 200 200 200 404 403 404 401",
  ],
  deleteUnit: [
    async (who) => who.delete(`/api/units/${await org.unit("Target", unit)}`, at(who)),
    "204 204 204 204 404 403 404 401",
  ],

  listPermissions: [get("/api/permissions"), "200 200 200 200 200 200 200 401"],
  listRoles: [get("/api/roles"), "200 200 200 200 200 403 200 401"],
  createRole: [
    (who) => who.post("/api/roles", { name: crypto.randomUUID(), permissions: [] }, at(who)),
    "201 201 403 403 403 403 201 401",
  ],
  updateRole: [
    async (who) => who.patch(`/api/roles/${await targetRole()}`, { description: "New" }, at(who)),
    "200 200 403 403 403 403 404 401",
  ],
  deleteRole: [
    async (who) => who.delete(`/api/roles/${await targetRole()}`, at(who)),
    "204 204 403 403 403 403 404 401",
  ],

  listMembers: [get("/api/members"), "200 200 200 200 200 403 200 401"],
  listRoleOptions: [get("/api/members/role-options"), "200 200 200 200 200 403 200 401"],
  listUnitOptions: [get("/api/members/unit-options"), "200 200 200 200 200 403 200 401"],
  getMember: [get(async () => `/api/members/${await target()}`), "200 200 200 200 404 403 404 401"],
  changeMemberRoles: [
    async (who) =>
      who.patch(`/api/members/${await target()}/roles`, assignments({ role: "UNIT_ADMIN", unit }), at(who)),
    "200 200 200 200 404 403 400 401",
  ],
  changeMemberUnits: [
    async (who) => who.patch(`/api/members/${await target()}/units`, { unitIds: [unit] }, at(who)),
    "200 200 200 200 404 403 400 401",
  ],
  removeMember: [
    async (who) => who.delete(`/api/members/${await target()}`, at(who)),
    "204 204 204 204 404 403 404 401",
  ],

  invite: [
    (who) =>
      who.post(
        "/api/members/invitations",
        { email: uniqueEmail(), ...assignments({ role: "MEMBER", unit }) },
        at(who),
      ),
    "201 201 201 201 403 403 400 401",
  ],
  inviteMany: [
    (who) =>
      who.post(
        "/api/members/invitations/bulk",
        { rows: [{ email: uniqueEmail(), ...assignments({ role: "MEMBER", unit }) }], dryRun: true },
        at(who),
      ),
    // What one row lacks refuses this row only.
    "200 200 200 200 200 403 200 401",
  ],
  listInvitations: [get("/api/members/invitations"), "200 200 200 200 200 403 200 401"],
  resendInvitation: [
    async (who) =>
      who.post(`/api/members/invitations/${await targetInvitation()}/resend`, undefined, at(who)),
    "204 204 204 204 404 403 404 401",
  ],
  revokeInvitation: [
    async (who) => who.delete(`/api/members/invitations/${await targetInvitation()}`, at(who)),
    "204 204 204 204 404 403 404 401",
  ],
  previewInvitation: [(who) => who.get("/api/auth/invitation?token=dead"), "400 400 400 400 400 400 400 400"],
  acceptInvitation: [
    (who) => who.post("/api/auth/accept-invitation", { token: "dead" }),
    "400 400 400 400 400 400 400 400",
  ],

  listTodos: [get("/api/todos"), "200 200 200 200 200 200 200 401"],
  listAllTodos: [get("/api/todos/all"), "200 200 200 200 200 403 200 401"],
  getTodo: [get(async () => `/api/todos/${await targetTodo()}`), "200 200 200 200 404 404 404 401"],
  createTodo: [(who) => who.post("/api/todos", { title: "New" }, at(who)), "201 201 201 201 201 201 201 401"],
  updateTodo: [
    async (who) => who.patch(`/api/todos/${await targetTodo()}`, { completed: true }, at(who)),
    "200 200 200 200 404 404 404 401",
  ],
  deleteTodo: [
    async (who) => who.delete(`/api/todos/${await targetTodo()}`, at(who)),
    "204 204 204 204 404 404 404 401",
  ],

  createTicket: [(who) => who.post(OWN_TICKETS, reportBody()), "201 201 201 201 201 201 201 401"],
  listOwnTickets: [get(OWN_TICKETS), "200 200 200 200 200 200 200 401"],
  getOwnTicket: [
    get(async () => `${OWN_TICKETS}/${await targetTicket()}`),
    "404 404 404 404 404 404 404 401",
  ],
  listOwnTicketMessages: [
    get(async () => `${OWN_TICKETS}/${await targetTicket()}/messages`),
    "404 404 404 404 404 404 404 401",
  ],
  replyToOwnTicket: [
    async (who) => who.post(`${OWN_TICKETS}/${await targetTicket()}/messages`, { message: "More" }),
    "404 404 404 404 404 404 404 401",
  ],
  closeOwnTicket: [
    async (who) => who.post(`${OWN_TICKETS}/${await targetTicket()}/close`),
    "404 404 404 404 404 404 404 401",
  ],
  downloadAttachment: [
    async (who) => ({ ...(await download(who, await targetImage())), cookie: null }),
    "200 200 200 200 404 404 404 401",
  ],
  listOrganizationTickets: [get(ORGANIZATION_TICKETS), "200 200 200 200 200 403 200 401"],
  getOrganizationTicket: [
    get(async () => `${ORGANIZATION_TICKETS}/${await targetTicket()}`),
    "200 200 200 200 404 403 404 401",
  ],
  listOrganizationTicketMessages: [
    get(async () => `${ORGANIZATION_TICKETS}/${await targetTicket()}/messages`),
    "200 200 200 200 404 403 404 401",
  ],
  replyToOrganizationTicket: [
    async (who) =>
      who.post(`${ORGANIZATION_TICKETS}/${await targetTicket()}/messages`, { message: "Hello" }, at(who)),
    "201 201 201 201 404 403 404 401",
  ],
  setOrganizationTicketStatus: [
    async (who) =>
      who.patch(`${ORGANIZATION_TICKETS}/${await targetTicket()}`, { status: "RESOLVED" }, at(who)),
    "200 200 200 200 404 403 404 401",
  ],
  listTickets: [get(PLATFORM_TICKETS), "200 403 403 403 403 403 403 401"],
  getTicket: [
    get(async () => `${PLATFORM_TICKETS}/${await targetTicket()}`),
    "200 403 403 403 403 403 403 401",
  ],
  listTicketMessages: [
    get(async () => `${PLATFORM_TICKETS}/${await targetTicket()}/messages`),
    "200 403 403 403 403 403 403 401",
  ],
  replyToTicket: [
    async (who) => who.post(`${PLATFORM_TICKETS}/${await targetTicket()}/messages`, { message: "Hello" }),
    "201 403 403 403 403 403 403 401",
  ],
  setTicketStatus: [
    async (who) => who.patch(`${PLATFORM_TICKETS}/${await targetTicket()}`, { status: "RESOLVED" }),
    "200 403 403 403 403 403 403 401",
  ],
  deleteTicket: [
    async (who) => who.delete(`${PLATFORM_TICKETS}/${await targetTicket()}`),
    "204 403 403 403 403 403 403 401",
  ],

  listServiceAccounts: [get(ACCOUNTS), "200 200 200 200 200 403 200 401"],
  getOwnServiceAccount: [get(`${ACCOUNTS}/self`), "404 404 404 404 404 404 404 401"],
  listServiceAccountRoleOptions: [get(`${ACCOUNTS}/role-options`), "200 200 200 200 200 403 200 401"],
  listServiceAccountUnitOptions: [get(`${ACCOUNTS}/unit-options`), "200 200 200 200 200 403 200 401"],
  getServiceAccount: [
    get(async () => `${ACCOUNTS}/${await targetAccount()}`),
    "200 200 200 200 404 403 404 401",
  ],
  createServiceAccount: [
    (who) =>
      who.post(
        ACCOUNTS,
        { name: crypto.randomUUID(), ...assignments({ role: "UNIT_ADMIN", unit }) },
        at(who),
      ),
    "201 201 201 201 403 403 400 401",
  ],
  updateServiceAccount: [
    async (who) => who.patch(`${ACCOUNTS}/${await targetAccount()}`, { enabled: false }, at(who)),
    "200 200 200 200 404 403 404 401",
  ],
  changeServiceAccountRoles: [
    async (who) =>
      who.patch(
        `${ACCOUNTS}/${await targetAccount()}/roles`,
        assignments({ role: "MEMBER", unit: numberOf(who) === 6 ? null : unit }),
        at(who),
      ),
    "200 200 200 200 404 403 404 401",
  ],
  deleteServiceAccount: [
    async (who) => who.delete(`${ACCOUNTS}/${await targetAccount()}`, at(who)),
    "204 204 204 204 404 403 404 401",
  ],
  listApiKeys: [
    get(async () => `${ACCOUNTS}/${await targetAccount()}/keys`),
    "200 200 200 200 404 403 404 401",
  ],
  createApiKey: [
    async (who) => who.post(`${ACCOUNTS}/${await targetAccount()}/keys`, { name: "CI" }, at(who)),
    "201 201 201 201 404 403 404 401",
  ],
  updateApiKey: [
    async (who) => who.patch(await targetKey(), { name: "Mine" }, at(who)),
    "200 200 200 200 404 403 404 401",
  ],
  rotateApiKey: [
    async (who) => who.post(`${await targetKey()}/rotate`, {}, at(who)),
    "201 201 201 201 404 403 404 401",
  ],
  revokeApiKey: [async (who) => who.delete(await targetKey(), at(who)), "204 204 204 204 404 403 404 401"],
  reportApiKey: [
    (who) => who.post("/api/auth/revoke-key", { key: `mosk_${"0".repeat(40)}2kaqcA` }),
    "204 204 204 204 204 204 204 204",
  ],

  listOrganizationAuditEvents: [get("/api/organization/audit-events"), "200 200 200 200 200 403 200 401"],
  getOrganizationAuditHistogram: [
    get("/api/organization/audit-events/histogram"),
    "200 200 200 200 200 403 200 401",
  ],
  exportOrganizationAuditEvents: [
    get("/api/organization/audit-events/export?format=csv"),
    "200 200 200 200 200 403 200 401",
  ],
  getOrganizationAuditProof: [get("/api/organization/audit-events/proof"), "200 200 403 403 403 403 200 401"],
  listAuditEvents: [get("/api/audit-events"), "200 403 403 403 403 403 403 401"],
  exportAuditEvents: [get("/api/audit-events/export?format=ndjson"), "200 403 403 403 403 403 403 401"],
  getAuditProof: [get("/api/audit-events/proof"), "200 403 403 403 403 403 403 401"],

  listJoinableOrganizations: [get("/api/auth/joinable-organizations"), "200 200 200 200 200 200 200 401"],
  joinOrganization: [
    (who) => who.post(`/api/auth/organizations/${crypto.randomUUID()}/join`),
    "403 404 404 404 404 404 404 401",
  ],
  withdrawJoinRequest: [
    (who) => who.delete(`/api/auth/organizations/${crypto.randomUUID()}/join`),
    "204 204 204 204 204 204 204 401",
  ],
  listJoinRequests: [get("/api/members/join-requests"), "200 200 403 403 403 403 200 401"],
  approveJoinRequest: [
    (who) => who.post(`/api/members/join-requests/${crypto.randomUUID()}/approve`, {}, at(who)),
    "404 404 403 403 403 403 404 401",
  ],
  denyJoinRequest: [
    (who) => who.post(`/api/members/join-requests/${crypto.randomUUID()}/deny`, undefined, at(who)),
    "404 404 403 403 403 403 404 401",
  ],

  getSignOnPolicy: [get("/api/organization/sign-on"), "200 200 403 403 403 403 200 401"],
  listAffectedMembers: [get("/api/organization/sign-on/affected"), "200 200 403 403 403 403 200 401"],
  updateSignOnPolicy: [
    (who) => who.patch("/api/organization/sign-on", { maxSessionHours: 12 }, at(who)),
    "403 200 403 403 403 403 200 401",
  ],

  beginAuthorization: [
    (who) => who.post(AUTHORIZATIONS, { query: queryOf(oauthClient) }),
    "200 200 200 200 200 200 200 401",
  ],
  listUnitsOfAuthorization: [
    (who) => who.get(`/api/oauth/unit-options?organizationId=${org.id}`),
    "403 200 200 200 200 200 403 401",
  ],
  approveAuthorization: [
    async (who) =>
      who.post(`${AUTHORIZATIONS}/approve`, {
        requestToken: await shownTo(who),
        organizationId: org.id,
        scopes: ["todos:read"],
      }),
    "403 200 200 200 200 200 403 401",
  ],
  denyAuthorization: [
    async (who) => who.post(`${AUTHORIZATIONS}/deny`, { requestToken: await shownTo(who) }),
    "200 200 200 200 200 200 200 401",
  ],

  listDomains: [get(DOMAINS), "200 200 403 403 403 403 200 401"],
  getDomain: [get(targetDomain), "200 200 403 403 403 403 404 401"],
  createDomain: [
    async (who) => {
      await t.sql("DELETE FROM organization_domains");
      return who.post(DOMAINS, { domain: "acme.com" }, at(who));
    },
    "403 201 403 403 403 403 201 401",
  ],
  // No DNS server answers.
  verifyDomain: [
    async (who) => who.post(`${await targetDomain()}/verify`, undefined, at(who)),
    "403 409 403 403 403 403 404 401",
  ],
  updateDomain: [
    async (who) => who.patch(await targetDomain(), { join: "off" }, at(who)),
    "403 200 403 403 403 403 404 401",
  ],
  deleteDomain: [async (who) => who.delete(await targetDomain(), at(who)), "204 204 403 403 403 403 404 401"],

  listConnections: [get(CONNECTIONS), "200 200 403 403 403 403 200 401"],
  getConnection: [get(() => targetConnection()), "200 200 403 403 403 403 404 401"],
  // No provider answers.
  createConnection: [
    (who) => who.post(CONNECTIONS, connectionTo({ issuer: "http://127.0.0.1:1" }), at(who)),
    "403 400 403 403 403 403 400 401",
  ],
  updateConnection: [
    async (who) => who.patch(await targetConnection(), { name: "Other" }, at(who)),
    "403 200 403 403 403 403 404 401",
  ],
  deleteConnection: [
    async (who) => who.delete(await targetConnection(), at(who)),
    "204 204 403 403 403 403 404 401",
  ],
  listSetupLinks: [get(SETUP_LINKS), "200 200 403 403 403 403 200 401"],
  createSetupLink: [
    async (who) => {
      await t.sql("DELETE FROM sign_on_setup_links");
      return who.post(SETUP_LINKS, { email: uniqueEmail(), what: ["domains"] }, at(who));
    },
    "403 201 403 403 403 403 201 401",
  ],
  revokeSetupLink: [
    async (who) => {
      await t.sql("DELETE FROM sign_on_setup_links");
      const body = { email: uniqueEmail(), what: ["connection"] };
      const { id } = (await org.admin.post(SETUP_LINKS, body)).body;
      return who.delete(`${SETUP_LINKS}/${id}`, at(who));
    },
    "204 204 403 403 403 403 404 401",
  ],
  getSignOnSetup: [get("/api/auth/sign-on-setup"), "401 401 401 401 401 401 401 401"],
  finishSignOnSetup: [(who) => who.post("/api/auth/sign-on-setup/finish"), "401 401 401 401 401 401 401 401"],
  listSsoIdentities: [
    get(async () => `${await targetConnection()}/identities`),
    "200 200 403 403 403 403 404 401",
  ],
  deleteSsoIdentity: [
    async (who) => {
      const path = await targetConnection();
      const person = await org.member();
      await linkTo(t, path.split("/").at(-1) ?? "", person);
      return who.delete(`${path}/identities/${idOf(person)}`, at(who));
    },
    "204 204 403 403 403 403 404 401",
  ],
  listSsoGroups: [get(async () => `${await targetConnection()}/groups`), "200 200 403 403 403 403 404 401"],
  listSsoMappings: [get(MAPPINGS), "200 200 403 403 403 403 200 401"],
  createSsoMapping: [
    async (who) => who.post(MAPPINGS, await bodyOfMapping(), at(who)),
    "403 201 403 403 403 403 400 401",
  ],
  previewSsoMapping: [
    async (who) => who.post(`${MAPPINGS}/preview`, await bodyOfMapping(), at(who)),
    "200 200 403 403 403 403 400 401",
  ],
  deleteSsoMapping: [
    async (who) => who.delete(await targetMapping(), at(who)),
    "204 204 403 403 403 403 404 401",
  ],

  listEvents: [get("/api/events"), "200 200 200 200 200 403 200 401"],
  getEvent: [get(async () => `/api/events/${await targetEvent()}`), "200 200 200 200 404 403 404 401"],

  listWebhookEventTypes: [get("/api/webhooks/event-types"), "200 200 403 403 403 403 200 401"],
  listWebhookEndpoints: [get(ENDPOINTS), "200 200 403 403 403 403 200 401"],
  getWebhookEndpoint: [get(async () => targetEndpoint()), "200 200 403 403 403 403 404 401"],
  createWebhookEndpoint: [
    (who) => who.post(ENDPOINTS, { url: HOOK, eventTypes: ["unit.created"] }, at(who)),
    "201 201 403 403 403 403 201 401",
  ],
  updateWebhookEndpoint: [
    async (who) => who.patch(await targetEndpoint(), { description: "Mine" }, at(who)),
    "200 200 403 403 403 403 404 401",
  ],
  deleteWebhookEndpoint: [
    async (who) => who.delete(await targetEndpoint(), at(who)),
    "204 204 403 403 403 403 404 401",
  ],
  rotateWebhookSecret: [
    async (who) => who.post(`${await targetEndpoint()}/rotate-secret`, {}, at(who)),
    "200 200 403 403 403 403 404 401",
  ],
  testWebhookEndpoint: [
    async (who) => who.post(`${await targetEndpoint()}/test`, undefined, at(who)),
    "202 202 403 403 403 403 404 401",
  ],
  listWebhookDeliveries: [
    get(async () => `${await targetEndpoint()}/deliveries`),
    "200 200 403 403 403 403 404 401",
  ],
  getWebhookDelivery: [get(targetDelivery), "200 200 403 403 403 403 404 401"],
  resendWebhookDelivery: [
    async (who) => who.post(`${await targetDelivery()}/resend`, undefined, at(who)),
    "202 202 403 403 403 403 404 401",
  ],
  recoverWebhookDeliveries: [
    async (who) => who.post(`${await targetEndpoint()}/recover`, { from: new Date().toISOString() }, at(who)),
    "202 202 403 403 403 403 404 401",
  ],

  listApprovedApps: [get(APPROVED), "200 200 403 403 403 200 200 401"],
  approveApp: [
    (who) => who.post(APPROVED, { app: `${crypto.randomUUID()}.example.com` }, at(who)),
    "201 201 403 403 403 403 201 401",
  ],
  removeApprovedApp: [
    async (who) => who.delete(await targetApproval(), at(who)),
    "204 204 403 403 403 403 404 401",
  ],
  listOAuthClients: [get(CLIENTS), "200 200 403 403 403 200 200 401"],
  getOAuthClient: [get(() => targetClient()), "200 200 403 403 403 200 404 401"],
  createOAuthClient: [(who) => who.post(CLIENTS, CLIENT, at(who)), "201 201 403 403 403 403 201 401"],
  updateOAuthClient: [
    async (who) => who.patch(await targetClient(), { name: "Other" }, at(who)),
    "200 200 403 403 403 403 404 401",
  ],
  deleteOAuthClient: [
    async (who) => who.delete(await targetClient(), at(who)),
    "204 204 403 403 403 403 404 401",
  ],
  rotateOAuthClientSecret: [
    async (who) => who.post(`${await targetClient()}/rotate-secret`, {}, at(who)),
    "200 200 403 403 403 403 404 401",
  ],
  listPlatformOAuthClients: [get(OPERATORS_CLIENTS), "200 403 403 403 403 403 403 401"],
  getPlatformOAuthClient: [get(() => targetClient(null)), "200 403 403 403 403 403 403 401"],
  createPlatformOAuthClient: [
    (who) => who.post(OPERATORS_CLIENTS, CLIENT, at(who)),
    "201 403 403 403 403 403 403 401",
  ],
  updatePlatformOAuthClient: [
    async (who) => who.patch(await targetClient(null), { name: "Other" }, at(who)),
    "200 403 403 403 403 403 403 401",
  ],
  deletePlatformOAuthClient: [
    async (who) => who.delete(await targetClient(null), at(who)),
    "204 403 403 403 403 403 403 401",
  ],
  rotatePlatformOAuthClientSecret: [
    async (who) => who.post(`${await targetClient(null)}/rotate-secret`, {}, at(who)),
    "200 403 403 403 403 403 403 401",
  ],

  listUsers: [get("/api/users"), "200 403 403 403 403 403 403 401"],
  getUser: [get(async () => `/api/users/${await target()}`), "200 403 403 403 403 403 403 401"],
  setPlatformAdmin: [
    async (who) => who.patch(`/api/users/${await target()}`, { isPlatformAdmin: true }),
    "200 403 403 403 403 403 403 401",
  ],
  deleteUser: [async (who) => who.delete(`/api/users/${await target()}`), "204 403 403 403 403 403 403 401"],
  resetTwoFactor: [
    async (who) => who.delete(`/api/users/${await target()}/2fa`),
    "409 403 403 403 403 403 403 401",
  ],
  resetPasskeys: [
    async (who) => who.delete(`/api/users/${await target()}/passkeys`),
    "204 403 403 403 403 403 403 401",
  ],
  endSessionsOfUser: [
    async (who) => who.delete(`/api/users/${await target()}/sessions`),
    "204 403 403 403 403 403 403 401",
  ],
};

test("every route has a row in the permission matrix, and every row a route", () => {
  const routes = definitions.map(({ operationId }) => operationId).sort();
  expect(Object.keys(ROWS).sort()).toEqual(routes);
});

for (const [operationId, [send, statuses]] of Object.entries(ROWS)) {
  test(`${operationId} returns the expected status to each caller`, async () => {
    const responses = [];
    for (const who of callers) responses.push((await send(who.at(who.url))).status);
    expect(responses.join(" ")).toBe(statuses);
  });
}

/**
 * Writes that are accepted with an access token whose session has ended: they change no permission, credential or
 * session.
 */
const ACCEPTED_AFTER_THE_SESSION = [
  "beginAuthorization",
  "closeOwnTicket",
  "createTicket",
  "createTodo",
  "deleteTodo",
  "denyAuthorization",
  "dismissNotification",
  "exportProfile",
  "logout",
  "previewSsoMapping",
  "readAllNotifications",
  "readNotification",
  "replyToOrganizationTicket",
  "replyToOwnTicket",
  "sendTestNotification",
  "setOrganizationTicketStatus",
  "updateProfile",
  "updateTodo",
];
/**
 * Writes that need a configured provider, a cookie or an account of their own to reach this check; they are tested
 * elsewhere.
 */
const TESTED_ELSEWHERE = [
  "addPasskey",
  "checkout",
  "leaveOrganization",
  "linkIdentity",
  "openPortal",
  "reauthenticateByConnection",
  "reauthenticateByProvider",
  "switchOrganization",
];

test("after the session has ended, every write that is not a listed exception is 401, whatever the access token grants", async () => {
  const accepted: string[] = [];
  for (const { operationId, method, access } of definitions) {
    if (method === "get" || access === "public" || TESTED_ELSEWHERE.includes(operationId)) continue;
    const [send, statuses] = ROWS[operationId] ?? [];
    const mayCall = statuses?.split(" ")[1] !== "403" ? callers[1] : callers[0];
    const held = await inAnotherBrowser(mayCall ?? t.anonymous());
    await t.sql("DELETE FROM refresh_tokens WHERE session_id = $1", [claimsOf(held.accessToken ?? "").sid]);
    const response = await send?.(held);
    if (response?.status !== 401) accepted.push(operationId);
    else expect(response.body.code).toBe("UNAUTHENTICATED");
  }
  const expected = [
    ...ACCEPTED_AFTER_THE_SESSION,
    ...productCases.flatMap(({ acceptedAfterTheSession }) => acceptedAfterTheSession),
  ];
  expect(accepted.sort()).toEqual(expected.toSorted());
});

test("an API key can call the routes that the document marks and no others that need a caller, whatever its service account's permissions are", async () => {
  const { caller } = await createMachine(org, { role: "ORG_ADMIN" });
  const refused: string[] = [];
  const document = (await caller.get("/api/docs-json")).body;
  for (const { operationId, access, path, method } of definitions) {
    if (access === "public") {
      expect([operationId, document.paths[path][method]["x-api-keys"]]).toEqual([operationId, false]);
      continue;
    }
    const [send] = ROWS[operationId] ?? [];
    const response = await send?.(caller);
    // It does not exist for a key, as the one about the calling key does not exist for people.
    if (access === "app") {
      expect([operationId, response?.status]).toEqual([operationId, 404]);
      expect([operationId, document.paths[path][method]["x-api-keys"]]).toEqual([operationId, false]);
      continue;
    }
    const isRefused = response?.body?.code === "API_KEY_NOT_ALLOWED";
    expect([operationId, document.paths[path][method]["x-api-keys"]]).toEqual([operationId, !isRefused]);
    if (isRefused) refused.push(operationId);
    else
      expect([operationId, [200, 201, 202, 204].includes(response?.status ?? 0)]).toEqual([
        operationId,
        true,
      ]);
  }
  expect(refused.length).toBeGreaterThan(50);
});
