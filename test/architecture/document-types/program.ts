import type { components, operations } from "openapi-document";

/*
 * Tests the types that openapi-typescript generates from the OpenAPI document. document-types.test.ts generates them
 * and compiles this file, which reports every `@ts-expect-error` whose next line has no error. The file is never
 * executed.
 */

type Schemas = components["schemas"];
type Same<One, Other> =
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
const assertSame = <One, Other>(_isSame: Same<One, Other>) => {};
const assertNever = (_: never) => {};

/** The JSON body of an operation's responses with these statuses. */
type Json<Operation extends keyof operations, Status> = {
  [One in keyof operations[Operation]["responses"] &
    Status]: operations[Operation]["responses"][One] extends {
    content: { "application/json": infer Body };
  }
    ? Body
    : never;
}[keyof operations[Operation]["responses"] & Status];

export function login(response: Json<"login", 200>): string {
  // @ts-expect-error the response may be a two-factor challenge
  response.accessToken;
  if ("twoFactorRequired" in response && response.twoFactorRequired)
    assertSame<typeof response.twoFactorRequired, true>(true);
  if (response.twoFactorRequired) return response.challengeToken;
  return response.accessToken;
}

/** Texts for error codes of any operation. */
export const texts: Partial<Record<Schemas["ErrorCode"], string>> = {
  NOT_FOUND: "It is gone",
  // @ts-expect-error an unknown error code
  OUT_OF_LUCK: "",
};

type Failures = 400 | 401 | 403 | 404 | 408 | 413 | 415 | 500 | 503;

export function errors(error: Json<"createTodo", Failures>) {
  if (error.statusCode === 403) {
    type Codes =
      | "API_KEY_NOT_ALLOWED"
      | "FORBIDDEN"
      | "INSUFFICIENT_SCOPE"
      | "IP_NOT_ALLOWED"
      | "ORGANIZATION_OVERRIDE_FORBIDDEN"
      | "ORGANIZATION_REQUIRED"
      | "ORGANIZATION_SUSPENDED"
      | "PLAN_LIMIT_REACHED"
      | "TWO_FACTOR_REQUIRED";
    assertSame<typeof error.code, Codes>(true);
  }
  switch (error.code) {
    case "PLAN_LIMIT_REACHED":
      assertSame<typeof error.statusCode, 403>(true);
      // A product may add names of limits.
      "members" satisfies typeof error.details.limit;
      // @ts-expect-error no name of a limit
      "nothing" satisfies typeof error.details.limit;
      assertSame<typeof error.details.used, number>(true);
      break;
    case "VALIDATION_FAILED":
      assertSame<(typeof error.errors)[number]["path"], string>(true);
      // @ts-expect-error a field that only another error code has
      error.details;
      break;
    // @ts-expect-error a code that this operation never has
    case "INVALID_CREDENTIALS":
      break;
    case "MALFORMED_JSON":
    case "UNAUTHENTICATED":
    case "API_KEY_NOT_ALLOWED":
    case "FORBIDDEN":
    case "INSUFFICIENT_SCOPE":
    case "IP_NOT_ALLOWED":
    case "ORGANIZATION_OVERRIDE_FORBIDDEN":
    case "ORGANIZATION_REQUIRED":
    case "ORGANIZATION_SUSPENDED":
    case "TWO_FACTOR_REQUIRED":
    case "NOT_FOUND":
    case "REQUEST_TIMEOUT":
    case "PAYLOAD_TOO_LARGE":
    case "UNSUPPORTED_MEDIA_TYPE":
    case "INTERNAL_ERROR":
    case "SERVICE_UNAVAILABLE":
      // @ts-expect-error a field that only other error codes have
      error.errors;
      break;
    default:
      assertNever(error);
  }
}

export function notifications({ data: [notification] }: Json<"listNotifications", 200>) {
  switch (notification?.type) {
    case "PASSWORD_CHANGED":
      assertSame<typeof notification.data.via, "change" | "reset">(true);
      break;
    case "TWO_FACTOR_ENABLED":
    case "TWO_FACTOR_DISABLED":
      assertSame<typeof notification.data.via, "self" | "admin">(true);
      break;
    case "HELPDESK_TICKET_CREATED":
      assertSame<typeof notification.data.category, Schemas["TicketCategory"]>(true);
      // @ts-expect-error only the organization's staff receives the organization id
      assertSame<typeof notification.data.organizationId, string>(true);
      break;
    case "ROLES_CHANGED":
      assertSame<(typeof notification.data.added)[number]["unitId"], string | null>(true);
      break;
    case "TEST":
      // @ts-expect-error data of another notification type
      notification.data.via;
      break;
    // @ts-expect-error an unknown notification type
    case "NEWS":
      break;
    default:
      // @ts-expect-error not all notification types are handled
      assertNever(notification);
  }
}

export function allNotifications(type: Schemas["Notification"]["type"]) {
  switch (type) {
    case "WELCOME":
    case "PASSWORD_CHANGED":
    case "TWO_FACTOR_ENABLED":
    case "TWO_FACTOR_DISABLED":
    case "TWO_FACTOR_RECOVERY_CODE_USED":
    case "SIGN_IN_METHOD_ADDED":
    case "SIGN_IN_METHOD_REMOVED":
    case "PASSKEY_BLOCKED":
    case "EMAIL_CHANGE_REQUESTED":
    case "EMAIL_CHANGED":
    case "TEST":
    case "INVITATION_ACCEPTED":
    case "HELPDESK_TICKET_CREATED":
    case "HELPDESK_REPORTER_REPLIED":
    case "HELPDESK_STAFF_REPLIED":
    case "HELPDESK_STATUS_CHANGED":
    case "ROLES_CHANGED":
    case "API_KEY_EXPIRING":
    case "API_KEY_REPORTED":
    case "WEBHOOK_ENDPOINT_FAILING":
    case "WEBHOOK_ENDPOINT_DISABLED":
      break;
    // Those of a product, if there is one. test/client/package.test.ts shows that there are no others.
    default:
  }
}

export function audit(event: Json<"listAuditEvents", 200>["data"][number]) {
  switch (event.action) {
    case "LOGIN_FAILED":
      assertSame<typeof event.targetType, "user" | null>(true);
      assertSame<typeof event.metadata.email, string | null>(true);
      // @ts-expect-error an unknown reason
      if (event.metadata.reason === "bad_luck") return;
      break;
    case "MEMBER_ROLES_CHANGED":
      assertSame<(typeof event.metadata.added)[number]["roleName"], string>(true);
      break;
    case "MEMBER_UNITS_CHANGED":
      // @ts-expect-error this action adds units, not roles
      event.metadata.added[0]?.roleName;
      break;
    case "UNIT_UPDATED":
      assertSame<typeof event.metadata.to.parentId, string | null | undefined>(true);
      break;
    case "USER_INVITED":
      assertSame<typeof event.targetType, "invitation">(true);
      assertSame<typeof event.metadata.supersededId, string | null | undefined>(true);
      break;
    case "ORGANIZATION_STATUS_CHANGED":
      assertSame<typeof event.metadata.to, "ACTIVE" | "SUSPENDED">(true);
      break;
    case "SUBSCRIPTION_CHANGED":
      assertSame<NonNullable<typeof event.metadata.from>["interval"], "month" | "year" | null>(true);
      break;
    // @ts-expect-error an unknown action
    case "NEWS":
      break;
    default:
      // @ts-expect-error not all actions are handled
      assertNever(event);
  }
}

export function stream(item: Schemas["NotificationStreamEvent"]) {
  switch (item.event) {
    case "unread-count":
      assertSame<typeof item.data.count, number>(true);
      break;
    case "notification":
      assertSame<typeof item.data.id, string>(true);
      break;
    case "token-expired":
      // @ts-expect-error this event has no data with an id
      item.data.id.length;
      break;
    default:
      assertNever(item);
  }
}

export function claims({ permissions, unitGrants, aud }: Schemas["AccessTokenClaims"]) {
  assertSame<typeof aud, "api">(true);
  permissions.includes("Todos.Update");
  // @ts-expect-error an unknown permission
  permissions.includes("Todos.Sell");
  assertSame<NonNullable<typeof unitGrants>[number]["units"], string | null>(true);
  assertSame<Schemas["Role"]["permissions"], typeof permissions>(true);
  assertSame<Json<"listPermissions", 200>[number]["name"], (typeof permissions)[number]>(true);
}

export function billing({ limits, plans: [plan] }: Json<"getBilling", 200>) {
  "members" satisfies (typeof limits)[number]["name"];
  // @ts-expect-error no name of a limit
  "nothing" satisfies (typeof limits)[number]["name"];
  assertSame<Schemas["FeatureName"], "audit" | "sso">(true);
  const members: number | null | undefined = plan?.limits.members;
  return members;
}
