import { z } from "@hono/zod-openapi";
import { permissionName } from "../access/schemas.ts";
import { language, textExample, timestamp, uuid } from "../definitions/fields.ts";
import { changedVia, organizationStatus, RoleEntry, ticketStatus, UnitEntry } from "./entries.ts";

/** The types of objects that audit events are about. */
export const TARGET_TYPES = [
  "user",
  "invitation",
  "organization",
  "unit",
  "role",
  "ticket",
  "session",
  "subscription",
  "service_account",
  "api_key",
  "passkey",
  "webhook_endpoint",
] as const;
export type TargetType = (typeof TARGET_TYPES)[number];

/** The properties of the audit events of one action. */
export type AuditEntry = {
  target: TargetType;
  /** Whether an event of this action may have no target. */
  isUntargeted?: true;
  /**
   * The schema of the metadata, for example old and new values. The metadata must not contain a password or a
   * token.
   */
  metadata: z.ZodObject;
  /**
   * The schema of the metadata in responses, if it differs because parts are hidden from some readers (rules 16.15).
   */
  shown?: z.ZodObject;
};

const nothing = z.object({});
const email = textExample("ada@example.com");
const name = z.object({ name: textExample("Acme").describe("The name of the organization.") });
const via = z.object({
  via: changedVia.describe("Who made the change: `self` is the user, `admin` a platform administrator."),
});
const provider = z.object({
  provider: textExample("google").describe("The key of the provider, or `password`."),
});
const methods = z.object({
  amr: z
    .array(textExample("pwd"))
    .describe("The authentication methods of the proof, as `amr` values of RFC 8176."),
});
const emailChange = z.object({
  from: email.describe("The former email."),
  to: email.describe("The new email."),
});
const passkey = z.object({
  name: textExample("Laptop").describe("The name of the passkey."),
  authenticator: textExample("Google Password Manager")
    .nullable()
    .describe("The name of the authenticator that stores the passkey; null if it is unknown."),
  userId: uuid
    .optional()
    .describe("The owner of the passkey, if a platform administrator removed it; absent otherwise."),
});
const named = z.object({ email: email.describe("The email address that the event is about.") });
const unit = z.object({
  name: textExample("Sales").describe("The name of the unit."),
  parentId: uuid.nullable().describe("The parent unit; null at the top of the tree."),
});
const permissions = z.array(permissionName);
const role = z.object({
  name: textExample("Editor").describe("The name of the role."),
  permissions: permissions.describe("The permissions of the role."),
});
const roles = z.object({ roles: z.array(RoleEntry).describe("The roles that the member had.") });
const number = z.int().openapi({ example: 12 });
const plan = textExample("pro").nullable();

/** Returns the schema of changed fields, with their old and new values. */
const changeOf = <Shape extends z.core.$ZodLooseShape>(fields: z.ZodObject<Shape>) =>
  z.object({
    from: fields.partial().describe("The values of the changed fields before the change."),
    to: fields.partial().describe("The values of the changed fields after the change."),
  });
const fromTo = <Value extends z.ZodType>(value: Value) =>
  z.object({
    // `.describe` is not used here, because it would also describe the shared component that a value may be.
    from: value.openapi({ description: "The value before the change." }),
    to: value.openapi({ description: "The value after the change." }),
  });
const addedAndRemoved = <Entry extends z.ZodType>(entry: Entry) =>
  z.object({
    added: z.array(entry).describe("The roles or units that were added."),
    removed: z.array(entry).describe("The roles or units that were removed."),
  });

const roleGrants = z.object({
  roles: z
    .array(textExample("MEMBER"))
    .openapi({ description: "The names of the assigned roles, each once." }),
  assignments: z.array(RoleEntry).describe("The assigned roles with their units."),
});

const subscription = z
  .object({
    status: textExample("active").describe("The payment provider's status of the subscription."),
    plan: plan.describe("The key of the plan."),
    interval: z.enum(["month", "year"]).nullable().describe("The payment interval of the subscription."),
    cancelAtPeriodEnd: z.boolean().describe("Whether the subscription ends by itself, without a renewal."),
  })
  .nullable();

const invited = named.extend({
  ...roleGrants.shape,
  language,
  supersededId: uuid.nullable().describe("The earlier invitation that the new one replaced; null if none."),
});
const accepted = roleGrants.extend({
  invitationId: uuid.describe("The accepted invitation."),
  existingAccount: z
    .literal(true)
    .optional()
    .describe("Present if the account existed before the invitation was accepted."),
});

const revoked = z.object({
  userId: uuid
    .optional()
    .openapi({ description: "The owner of the session, if a platform administrator ended it." }),
});

const serviceAccount = z.object({
  name: textExample("Deploy bot").describe("The name of the service account."),
});
const apiKey = z.object({
  serviceAccountId: uuid.describe("The service account of the key."),
  start: textExample("mosk_3fT9").describe("The prefix and the first characters of the key."),
});
const keySettings = z.object({
  name: textExample("CI").describe("The name of the key."),
  allowedIps: z
    .array(textExample("203.0.113.0/24"))
    .nullable()
    .describe("The IP address ranges from which the key may be used; null for all."),
});
const keyEnd = timestamp.nullable().describe("When the key expires; null for a key that does not expire.");

const webhookHost = z.object({
  host: textExample("hooks.example.com").describe("The host of the endpoint's address."),
});
const webhookTypes = z.array(textExample("unit.created")).describe("The types of events that are sent.");

/** The reason of a failed sign-in. */
const failure = z.enum([
  "unknown_email",
  "wrong_password",
  "email_not_verified",
  "wrong_two_factor_code",
  "limited",
  "account_exists",
  "email_unavailable",
  "unknown_passkey",
  "wrong_passkey",
]);

/**
 * The audited actions with their targets and metadata (rules 16.4 to 16.7). Types `audit`, and describes events in the
 * OpenAPI document. A product adds its own actions here.
 */
export const auditActions = {
  LOGIN_SUCCEEDED: { target: "user", metadata: methods.partial() },
  LOGIN_FAILED: {
    target: "user",
    metadata: z.object({
      email: email
        .nullable()
        .describe("The email that was entered at sign-in; null for third-party sign-in without an email."),
      reason: failure.describe("The reason why the sign-in failed."),
    }),
    isUntargeted: true,
  },
  REAUTHENTICATED: { target: "user", metadata: methods },
  REFRESH_TOKEN_REUSED: {
    target: "user",
    metadata: z.object({ sessionId: uuid.describe("The session whose refresh token was sent again.") }),
  },
  USER_REGISTERED: { target: "user", metadata: provider.partial() },
  EMAIL_VERIFIED: { target: "user", metadata: nothing },
  PASSWORD_CHANGED: { target: "user", metadata: nothing },
  PASSWORD_RESET: { target: "user", metadata: nothing },
  TWO_FACTOR_ENABLED: { target: "user", metadata: via },
  TWO_FACTOR_DISABLED: { target: "user", metadata: via },
  TWO_FACTOR_RECOVERY_CODE_USED: { target: "user", metadata: via },
  TWO_FACTOR_RECOVERY_CODES_REGENERATED: { target: "user", metadata: via },
  SESSION_REVOKED: { target: "session", metadata: revoked },
  SIGN_IN_METHOD_ADDED: { target: "user", metadata: provider },
  SIGN_IN_METHOD_REMOVED: { target: "user", metadata: provider },
  EMAIL_CHANGE_REQUESTED: { target: "user", metadata: emailChange },
  EMAIL_CHANGE_CANCELED: { target: "user", metadata: emailChange },
  EMAIL_CHANGED: { target: "user", metadata: emailChange },
  EMAIL_CHANGE_UNDONE: { target: "user", metadata: emailChange },
  PASSKEY_ADDED: { target: "passkey", metadata: passkey },
  PASSKEY_REMOVED: { target: "passkey", metadata: passkey },
  PASSKEY_BLOCKED: { target: "passkey", metadata: passkey },
  PLATFORM_ADMIN_GRANTED: { target: "user", metadata: nothing },
  PLATFORM_ADMIN_REVOKED: { target: "user", metadata: nothing },
  PERSONAL_DATA_EXPORTED: { target: "user", metadata: nothing },
  USER_DELETED: { target: "user", metadata: named },
  ORGANIZATION_CREATED: { target: "organization", metadata: name },
  ORGANIZATION_DELETED: {
    target: "organization",
    metadata: name.extend({ slug: textExample("acme").describe("The short name of the organization.") }),
  },
  ORGANIZATION_UPDATED: {
    target: "organization",
    metadata: changeOf(
      name.extend({
        slug: textExample("acme").describe("The short name of the organization."),
        defaultRoleId: uuid
          .nullable()
          .describe("The id of the organization's default role; null for the platform's default role."),
      }),
    ),
  },
  ORGANIZATION_STATUS_CHANGED: { target: "organization", metadata: fromTo(organizationStatus) },
  AUDIT_EVENTS_EXPORTED: {
    target: "organization",
    metadata: z.object({ format: z.enum(["csv", "ndjson"]).describe("The format of the export.") }),
    isUntargeted: true,
  },
  ORGANIZATION_PLAN_CHANGED: { target: "organization", metadata: fromTo(plan) },
  SUBSCRIPTION_CHANGED: { target: "organization", metadata: fromTo(subscription) },
  ORGANIZATION_SWITCHED: { target: "organization", metadata: nothing },
  UNIT_CREATED: { target: "unit", metadata: unit },
  UNIT_UPDATED: { target: "unit", metadata: changeOf(unit) },
  UNIT_DELETED: { target: "unit", metadata: unit },
  ROLE_CREATED: { target: "role", metadata: role },
  ROLE_UPDATED: {
    target: "role",
    metadata: changeOf(
      role.extend({
        description: textExample("Keeps the todos tidy").describe("The description of the role."),
      }),
    ),
  },
  ROLE_DELETED: { target: "role", metadata: role },
  MEMBER_ROLES_CHANGED: { target: "user", metadata: addedAndRemoved(RoleEntry) },
  MEMBER_UNITS_CHANGED: { target: "user", metadata: addedAndRemoved(UnitEntry) },
  MEMBER_REMOVED: { target: "user", metadata: roles },
  MEMBER_LEFT: { target: "user", metadata: roles },
  USER_INVITED: {
    target: "invitation",
    metadata: invited,
    shown: invited.partial({ supersededId: true }),
  },
  USER_INVITATION_RESENT: { target: "invitation", metadata: named },
  USER_INVITATION_REVOKED: { target: "invitation", metadata: named },
  USER_INVITATION_ACCEPTED: {
    target: "user",
    metadata: accepted,
    shown: accepted.partial({ invitationId: true }),
  },
  SERVICE_ACCOUNT_CREATED: {
    target: "service_account",
    metadata: serviceAccount.extend({
      assignments: z.array(RoleEntry).describe("The assigned roles with their units."),
    }),
  },
  SERVICE_ACCOUNT_UPDATED: {
    target: "service_account",
    metadata: changeOf(
      serviceAccount.extend({
        description: textExample("Deploys releases").describe("What the service account is for."),
        enabled: z.boolean().describe("Whether the keys of the service account may be used."),
      }),
    ).extend({
      reason: z
        .literal("NO_MEMBERS")
        .optional()
        .describe("Why it was disabled, if nobody asked for it: the last member left the organization."),
    }),
  },
  SERVICE_ACCOUNT_ROLES_CHANGED: { target: "service_account", metadata: addedAndRemoved(RoleEntry) },
  SERVICE_ACCOUNT_DELETED: {
    target: "service_account",
    metadata: serviceAccount.extend({
      roles: z.array(RoleEntry).describe("The roles that the service account had."),
    }),
  },
  API_KEY_CREATED: {
    target: "api_key",
    metadata: apiKey.extend({ ...keySettings.shape, expiresAt: keyEnd }),
  },
  API_KEY_UPDATED: {
    target: "api_key",
    metadata: changeOf(keySettings).extend({ serviceAccountId: apiKey.shape.serviceAccountId }),
  },
  API_KEY_ROTATED: {
    target: "api_key",
    metadata: apiKey.extend({
      successorId: uuid.describe("The new key."),
      endsAt: timestamp.describe("When the replaced key expires."),
    }),
  },
  API_KEY_REVOKED: {
    target: "api_key",
    metadata: apiKey.extend({
      via: z
        .enum(["member", "reported"])
        .describe("How the key was revoked: by a member, or by somebody who reported it as leaked."),
    }),
  },
  API_KEY_REFUSED: {
    target: "api_key",
    metadata: apiKey.extend({
      reason: z
        .enum(["revoked", "expired", "address"])
        .describe(
          "Why the key was refused: it had expired or was revoked, or the client's IP address is not allowed.",
        ),
    }),
  },
  WEBHOOK_ENDPOINT_CREATED: {
    target: "webhook_endpoint",
    metadata: webhookHost.extend({ eventTypes: webhookTypes }),
  },
  WEBHOOK_ENDPOINT_UPDATED: {
    target: "webhook_endpoint",
    metadata: changeOf(
      webhookHost.extend({
        eventTypes: webhookTypes,
        enabled: z.boolean().describe("Whether events are sent."),
      }),
    ),
  },
  WEBHOOK_ENDPOINT_DELETED: { target: "webhook_endpoint", metadata: webhookHost },
  WEBHOOK_ENDPOINT_DISABLED: {
    target: "webhook_endpoint",
    metadata: webhookHost.extend({
      reason: z
        .enum(["FAILING", "GONE", "NO_MEMBERS"])
        .describe(
          "Why: every attempt failed for five days, the endpoint responded with 410, or the last member left the organization.",
        ),
    }),
  },
  WEBHOOK_SECRET_ROTATED: {
    target: "webhook_endpoint",
    metadata: webhookHost.extend({ endsAt: timestamp.describe("When the previous secret ends.") }),
  },
  HELPDESK_TICKET_STATUS_CHANGED: {
    target: "ticket",
    metadata: fromTo(ticketStatus).extend({ number: number.describe("The number of the ticket.") }),
  },
  HELPDESK_TICKET_DELETED: {
    target: "ticket",
    metadata: z.object({ number: number.describe("The number of the ticket.") }),
  },
} as const satisfies Record<string, AuditEntry>;

type Actions = typeof auditActions;
export type AuditAction = keyof Actions;
export type AuditMetadata = { [Action in AuditAction]: z.output<Actions[Action]["metadata"]> };
export type AuditTargetType<Action extends AuditAction> = Actions[Action]["target"];
/** The schema of the metadata in responses. */
export type ShownMetadata<Action extends AuditAction> = Actions[Action] extends {
  shown: infer Shown extends z.ZodObject;
}
  ? Shown
  : Actions[Action]["metadata"];
/** The actions whose events may have no target. */
export type UntargetedAction = {
  [Action in AuditAction]: Actions[Action] extends { isUntargeted: true } ? Action : never;
}[AuditAction];
