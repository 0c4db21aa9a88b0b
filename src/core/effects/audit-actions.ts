import { z } from "@hono/zod-openapi";
import { permissionName } from "../access/schemas.ts";
import { language, textExample, uuid } from "../api/fields.ts";
import { changedVia, organizationStatus, RoleEntry, ticketStatus, UnitEntry } from "./entries.ts";

/** The types of objects that events are about. */
export const TARGET_TYPES = [
  "user",
  "invitation",
  "organization",
  "unit",
  "role",
  "ticket",
  "session",
  "subscription",
] as const;
export type TargetType = (typeof TARGET_TYPES)[number];

/** The events of one action. */
export type AuditEntry = {
  target: TargetType;
  /** Set if an event may have no target. */
  isUntargeted?: true;
  /** Such as old and new values. Never a password or a token. */
  metadata: z.ZodObject;
  /** The metadata in responses, if they omit what the reader may not see (rules 16.15). */
  shown?: z.ZodObject;
};

const nothing = z.object({});
const email = textExample("ada@example.com");
const name = z.object({ name: textExample("Acme") });
const via = z.object({ via: changedVia });
const provider = z.object({ provider: textExample("google") });
const named = z.object({ email });
const unit = z.object({ name: textExample("Sales"), parentId: uuid.nullable() });
const permissions = z.array(permissionName);
const role = z.object({ name: textExample("Editor"), permissions });
const roles = z.object({ roles: z.array(RoleEntry) });
const number = z.int().openapi({ example: 12 });
const plan = textExample("pro").nullable();

/** The changed fields, with their old and new values. */
const changeOf = <Shape extends z.core.$ZodLooseShape>(fields: z.ZodObject<Shape>) =>
  z.object({ from: fields.partial(), to: fields.partial() });
const fromTo = <Value extends z.ZodType>(value: Value) => z.object({ from: value, to: value });
const addedAndRemoved = <Entry extends z.ZodType>(entry: Entry) =>
  z.object({ added: z.array(entry), removed: z.array(entry) });

const roleGrants = z.object({
  roles: z.array(textExample("MEMBER")).openapi({ description: "The names of the roles, each once." }),
  assignments: z.array(RoleEntry),
});

const subscription = z
  .object({
    status: textExample("active"),
    plan,
    interval: z.enum(["month", "year"]).nullable(),
    cancelAtPeriodEnd: z.boolean(),
  })
  .nullable();

const invited = named.extend({ ...roleGrants.shape, language, supersededId: uuid.nullable() });
const accepted = roleGrants.extend({ invitationId: uuid, existingAccount: z.literal(true).optional() });

const revoked = z.object({
  userId: uuid.optional().openapi({ description: "Whose session, if a platform administrator ended it." }),
});

/** Why a sign-in failed. */
const failure = z.enum([
  "unknown_email",
  "wrong_password",
  "email_not_verified",
  "wrong_two_factor_code",
  "limited",
  "account_exists",
  "email_unavailable",
]);

/**
 * The audited actions with their targets and metadata (rules 16.4 to 16.7). Types `audit`, and describes events in the
 * OpenAPI document. A product adds its own actions here.
 */
export const auditActions = {
  LOGIN_SUCCEEDED: { target: "user", metadata: nothing },
  LOGIN_FAILED: {
    target: "user",
    metadata: z.object({ email: email.nullable(), reason: failure }),
    isUntargeted: true,
  },
  REFRESH_TOKEN_REUSED: { target: "user", metadata: z.object({ sessionId: uuid }) },
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
  PLATFORM_ADMIN_GRANTED: { target: "user", metadata: nothing },
  PLATFORM_ADMIN_REVOKED: { target: "user", metadata: nothing },
  USER_DELETED: { target: "user", metadata: named },
  ORGANIZATION_CREATED: { target: "organization", metadata: name },
  ORGANIZATION_DELETED: { target: "organization", metadata: name.extend({ slug: textExample("acme") }) },
  ORGANIZATION_UPDATED: {
    target: "organization",
    metadata: changeOf(name.extend({ slug: textExample("acme"), defaultRoleId: uuid.nullable() })),
  },
  ORGANIZATION_STATUS_CHANGED: { target: "organization", metadata: fromTo(organizationStatus) },
  ORGANIZATION_PLAN_CHANGED: { target: "organization", metadata: fromTo(plan) },
  SUBSCRIPTION_CHANGED: { target: "organization", metadata: fromTo(subscription) },
  ORGANIZATION_SWITCHED: { target: "organization", metadata: nothing },
  UNIT_CREATED: { target: "unit", metadata: unit },
  UNIT_UPDATED: { target: "unit", metadata: changeOf(unit) },
  UNIT_DELETED: { target: "unit", metadata: unit },
  ROLE_CREATED: { target: "role", metadata: role },
  ROLE_UPDATED: {
    target: "role",
    metadata: changeOf(role.extend({ description: textExample("Keeps the todos tidy") })),
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
  HELPDESK_TICKET_STATUS_CHANGED: { target: "ticket", metadata: fromTo(ticketStatus).extend({ number }) },
  HELPDESK_TICKET_DELETED: { target: "ticket", metadata: z.object({ number }) },
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
