const words = (text: string) => text.trim().split(/\s+/);

/**
 * The names that the OpenAPI document lists first, by kind, where its order differs from that of src/app/features.ts. Other
 * names follow. A new name needs no entry, and a name that no feature declares is passed over.
 */
export const documentOrder = {
  /** Not of the document: in this order they are asked for a bearer token. API keys come last, because their form includes others. */
  callers: words("product setup-link app api-key"),
  permissions: words(`
    Organization.Read Organization.Update Units.Read Units.Create Units.Update Units.Delete Roles.Read Roles.Create Roles.Update
    Roles.Delete Members.Read Members.UpdateRoles Members.UpdateUnits Members.Delete Invitations.Create Invitations.Read
    Invitations.Resend Invitations.Delete ServiceAccounts.Read ServiceAccounts.Create ServiceAccounts.Update
    ServiceAccounts.UpdateRoles ServiceAccounts.Delete ApiKeys.Create ApiKeys.Delete SingleSignOn.Read SingleSignOn.Update SingleSignOn.Bypass Events.Read Webhooks.Read Webhooks.Create
    Webhooks.Update Webhooks.Delete Audit.Read Billing.Read Billing.Create Billing.Update Helpdesk.Read Helpdesk.ReadOne
    Helpdesk.Reply Helpdesk.UpdateStatus`),
  planFeatures: words("audit sso"),
  limits: words("members units todos serviceAccounts webhookEndpoints"),
  events: words(`
    organization.updated organization.status_changed organization.plan_changed unit.created unit.updated unit.deleted
    role.created role.updated role.deleted member.created member.updated member.deleted invitation.created invitation.resent
    invitation.accepted invitation.revoked subscription.updated ticket.created ticket.updated ticket.deleted
    ticket.message_created todo.created todo.updated todo.deleted service_account.created service_account.updated
    service_account.deleted api_key.created api_key.rotated webhook_endpoint.created webhook_endpoint.updated
    webhook_endpoint.disabled webhook_endpoint.deleted api_key.revoked`),
  audit: words(`
    LOGIN_SUCCEEDED LOGIN_FAILED REAUTHENTICATED REFRESH_TOKEN_REUSED USER_REGISTERED EMAIL_VERIFIED PASSWORD_CHANGED
    PASSWORD_RESET TWO_FACTOR_ENABLED TWO_FACTOR_DISABLED TWO_FACTOR_RECOVERY_CODE_USED TWO_FACTOR_RECOVERY_CODES_REGENERATED
    SESSION_REVOKED SIGN_IN_METHOD_ADDED SIGN_IN_METHOD_REMOVED EMAIL_CHANGE_REQUESTED EMAIL_CHANGE_CANCELED EMAIL_CHANGED
    EMAIL_CHANGE_UNDONE PASSKEY_ADDED PASSKEY_REMOVED PASSKEY_BLOCKED PLATFORM_ADMIN_GRANTED PLATFORM_ADMIN_REVOKED
    PERSONAL_DATA_EXPORTED USER_DELETED ORGANIZATION_CREATED ORGANIZATION_DELETED ORGANIZATION_UPDATED
    ORGANIZATION_STATUS_CHANGED AUDIT_EVENTS_EXPORTED ORGANIZATION_PLAN_CHANGED SUBSCRIPTION_CHANGED ORGANIZATION_SWITCHED
    UNIT_CREATED UNIT_UPDATED UNIT_DELETED ROLE_CREATED ROLE_UPDATED ROLE_DELETED MEMBER_ROLES_CHANGED MEMBER_UNITS_CHANGED
    MEMBER_REMOVED MEMBER_LEFT USER_INVITED USER_INVITATION_RESENT USER_INVITATION_REVOKED USER_INVITATION_ACCEPTED
    SERVICE_ACCOUNT_CREATED SERVICE_ACCOUNT_UPDATED SERVICE_ACCOUNT_ROLES_CHANGED SERVICE_ACCOUNT_DELETED API_KEY_CREATED
    API_KEY_UPDATED API_KEY_ROTATED API_KEY_REVOKED API_KEY_REFUSED WEBHOOK_ENDPOINT_CREATED WEBHOOK_ENDPOINT_UPDATED
    WEBHOOK_ENDPOINT_DELETED WEBHOOK_ENDPOINT_DISABLED WEBHOOK_SECRET_ROTATED HELPDESK_TICKET_STATUS_CHANGED
    HELPDESK_TICKET_DELETED`),
  targets: words(`
    user invitation organization unit role ticket session subscription service_account api_key passkey webhook_endpoint`),
  notifications: words(`
    WELCOME PASSWORD_CHANGED TWO_FACTOR_ENABLED TWO_FACTOR_DISABLED TWO_FACTOR_RECOVERY_CODE_USED SIGN_IN_METHOD_ADDED
    SIGN_IN_METHOD_REMOVED EMAIL_CHANGE_REQUESTED EMAIL_CHANGED PASSKEY_BLOCKED TEST INVITATION_ACCEPTED
    HELPDESK_TICKET_CREATED HELPDESK_REPORTER_REPLIED HELPDESK_STAFF_REPLIED HELPDESK_STATUS_CHANGED ROLES_CHANGED
    WEBHOOK_ENDPOINT_FAILING WEBHOOK_ENDPOINT_DISABLED API_KEY_EXPIRING API_KEY_REPORTED`),
  personalData: words("memberships invitations notifications audit-events tickets ticket-messages todos"),
  tags: words(`
    accounts sessions two-factor identities profile organizations units roles members invitations service-accounts todos audit events webhooks billing helpdesk passkeys users notifications`),
};
