import { empty, json, jsonBody } from "#kit";
import { oauthIsOn } from "../config.ts";
import {
  CreateOAuthClientBody,
  NewOAuthClient,
  OAuthClient,
  OAuthClientPage,
  OAuthClientPath,
  OAuthClientQuery,
  RotateClientSecretBody,
  RotatedClientSecret,
  UpdateOAuthClientBody,
} from "./schemas.ts";

/* The parts that the routes of an organization's clients and of the operator's clients share. */

const ONCE = "The secret is shown only in this response; it is null if the response is repeated.";
const EXAMPLE = { name: "Reporting", redirectUris: ["https://app.example.com/oauth/callback"] };

export const COMMON = { tags: ["oauth-clients"] as ["oauth-clients"], existsIf: oauthIsOn };
/** Reads and writes of an organization. */
export const READ = {
  access: { permission: "Organization.Read", organizationWide: true },
  apps: false,
} as const;
export const WRITE = {
  access: { permission: "Organization.Update" },
  apiKeys: false,
  reauthentication: { classes: ["authority"] },
} as const;

const OF_ONE = { ...COMMON, request: { params: OAuthClientPath } };

export const LIST = {
  ...COMMON,
  method: "get",
  request: { query: OAuthClientQuery },
  responses: { 200: json(OAuthClientPage, "A page of apps") },
} as const;

export const GET = {
  ...OF_ONE,
  method: "get",
  // Counts the people who connected the app.
  reads: "list",
  responses: { 200: json(OAuthClient, "The app") },
} as const;

export const CREATE = {
  ...COMMON,
  method: "post",
  description: ONCE,
  request: { body: jsonBody(CreateOAuthClientBody, EXAMPLE) },
  responses: { 201: json(NewOAuthClient, "Registered") },
  idempotent: true,
  shownOnce: ["clientSecret"],
} as const;

export const UPDATE = {
  ...COMMON,
  method: "patch",
  description:
    "While an app is disabled, its tokens are refused. Disabling ends nothing: enabled again, they work.",
  request: { params: OAuthClientPath, body: jsonBody(UpdateOAuthClientBody, { enabled: false }) },
  responses: { 200: json(OAuthClient, "The changed app") },
} as const;

export const DELETE = {
  ...OF_ONE,
  method: "delete",
  description: "What people allowed it ends at once.",
  responses: { 204: empty("Deleted") },
} as const;

export const ROTATE = {
  ...COMMON,
  method: "post",
  description: `Both secrets work for \`overlapSeconds\`. ${ONCE} Returns 409 for an app without a secret.`,
  request: { params: OAuthClientPath, body: jsonBody(RotateClientSecretBody, { overlapSeconds: 3600 }) },
  responses: { 200: json(RotatedClientSecret, "The new secret") },
  idempotent: true,
  shownOnce: ["clientSecret"],
} as const;
