import { REDIRECT, VERIFIER } from "../../support/apps.ts";
import type { Actions, HttpRequest } from "../world/requests.ts";
import type { RaceWorld } from "./fixture.ts";

const AUTHORIZATIONS = "/oauth/authorizations";
const CLIENTS = "/organization/oauth-clients";
const CLIENT = `${CLIENTS}/{client}`;
const SERVER = `${CLIENTS}/{server}`;
const APPROVED = "/organization/approved-apps";
const approval = (request: string, more: object = {}) => ({
  ...{ requestToken: `{${request}}`, organizationId: "{org}", scopes: ["todos:read"] },
  ...more,
});

type Form = (world: RaceWorld) => Record<string, string>;
/** Sends a form to an endpoint of tokens, as an app does. */
const form =
  (path: string, fields: Form) =>
  (world: RaceWorld): HttpRequest => ({
    ...{ method: "POST", path: `/api/oauth/${path}`, raw: new URLSearchParams(fields(world)).toString() },
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
const redemption: Form = ({ ids, texts }) => ({
  ...{ grant_type: "authorization_code", client_id: ids.client ?? "", code: texts["app's code"] ?? "" },
  ...{ code_verifier: VERIFIER, redirect_uri: REDIRECT },
});
const refreshOf =
  (token: string): Form =>
  ({ ids, texts }) => ({
    ...{ grant_type: "refresh_token", client_id: ids.client ?? "", refresh_token: texts[token] ?? "" },
  });
const returned =
  (token: string): Form =>
  ({ ids, texts }) => ({ client_id: ids.client ?? "", token: texts[token] ?? "" });

/** Writes about connected apps, by people and by apps. */
export const APP_ACTIONS: Actions<RaceWorld> = {
  "approve an app": ["founder", `POST ${AUTHORIZATIONS}/approve`, approval("request")],
  "approve the same request": ["founder", `POST ${AUTHORIZATIONS}/approve`, approval("request", { days: 7 })],
  "approve an app in a unit": [
    "founder",
    `POST ${AUTHORIZATIONS}/approve`,
    approval("operator's request", { unitId: "{empty}" }),
  ],
  "redeem a code": form("token", redemption),
  "redeem a code again": form("token", redemption),
  "refresh an app": form("token", refreshOf("app's refresh token")),
  "refresh an app again": form("token", refreshOf("app's refresh token")),
  "reuse an app's token": form("token", refreshOf("app's old refresh token")),
  "give back an app's refresh token": form("revoke", returned("app's refresh token")),
  "give back an app's access token": form("revoke", returned("app's access token")),
  "report an app's token": ["nobody", "POST /auth/revoke-key", { key: "{app's refresh token}" }],
  "disconnect an app": ["member", "DELETE /profile/connected-apps/{member's grant}"],
  "disconnect all apps": ["member", "DELETE /profile/connected-apps"],
  "disconnect a member's app": ["second", "DELETE /organization/connected-apps/{member's grant}"],
  "allow no apps": ["founder", "PATCH /organization", { connectedApps: "off" }],
  "allow any app": ["second", "PATCH /organization", { connectedApps: "any" }],
  "approve a host of apps": ["founder", `POST ${APPROVED}`, { app: "claude.ai" }],
  "approve the same host of apps": ["second", `POST ${APPROVED}`, { app: "claude.ai" }],
  "remove an approved app": ["second", `DELETE ${APPROVED}/{approved app}`],
  "register an app": ["founder", `POST ${CLIENTS}`, { name: "New", redirectUris: [REDIRECT] }],
  "rename an app": ["founder", `PATCH ${CLIENT}`, { name: "Renamed" }],
  "disable an app": ["second", `PATCH ${CLIENT}`, { enabled: false }],
  "delete an app": ["second", `DELETE ${CLIENT}`],
  "rotate an app's secret": ["founder", `POST ${SERVER}/rotate-secret`, {}],
  "rotate an app's secret at once": ["second", `POST ${SERVER}/rotate-secret`, { overlapSeconds: 0 }],
  "delete the operator's app": ["operator", "DELETE /oauth-clients/{operator's app}"],
  "create unit by an app": ["app", "POST /units", { name: "by an app", parentId: null }],
  "create todo by an app": ["app", "POST /todos", { title: "by an app" }],
};
