/**
 * The order in which the OpenAPI document lists names, where it is not the order of the features. Other names follow. A
 * new name needs no entry.
 */
const words = (text: string) => text.trim().split(/\s+/);

export const documentOrder = {
  permissions: words(`
    Organization.Read Organization.Update Units.Read Units.Create Units.Update Units.Delete Roles.Read Roles.Create Roles.Update
    Roles.Delete Members.Read Members.UpdateRoles Members.UpdateUnits Members.Delete Invitations.Create Invitations.Read
    Invitations.Resend Invitations.Delete ServiceAccounts.Read ServiceAccounts.Create ServiceAccounts.Update
    ServiceAccounts.UpdateRoles ServiceAccounts.Delete ApiKeys.Create ApiKeys.Delete Events.Read Webhooks.Read Webhooks.Create
    Webhooks.Update Webhooks.Delete Audit.Read Billing.Read Billing.Create Billing.Update Helpdesk.Read Helpdesk.ReadOne
    Helpdesk.Reply Helpdesk.UpdateStatus`),
  limits: words("members units todos serviceAccounts webhookEndpoints"),
  events: words(`
    organization.updated organization.status_changed organization.plan_changed unit.created unit.updated unit.deleted
    role.created role.updated role.deleted member.created member.updated member.deleted invitation.created invitation.resent
    invitation.accepted invitation.revoked subscription.updated ticket.created ticket.updated ticket.deleted
    ticket.message_created todo.created todo.updated todo.deleted service_account.created service_account.updated
    service_account.deleted api_key.created api_key.rotated webhook_endpoint.created webhook_endpoint.updated
    webhook_endpoint.disabled webhook_endpoint.deleted api_key.revoked`),
};
