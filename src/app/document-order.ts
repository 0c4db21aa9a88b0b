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
};
