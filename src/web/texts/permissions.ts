import { dictionary } from "./dictionary.ts";

/** Names of entities by the part of a permission's name before the dot. */
export const entityTexts = dictionary({
  Organization: { en: "Organization", el: "Οργανισμός" },
  Units: { en: "Units", el: "Μονάδες" },
  Roles: { en: "Roles", el: "Ρόλοι" },
  Members: { en: "Members", el: "Μέλη" },
  Invitations: { en: "Invitations", el: "Προσκλήσεις" },
  ServiceAccounts: { en: "Service accounts", el: "Λογαριασμοί υπηρεσίας" },
  ApiKeys: { en: "API keys", el: "Κλειδιά API" },
  SingleSignOn: { en: "Single sign-on", el: "Ενιαία σύνδεση" },
  Audit: { en: "Audit log", el: "Ιστορικό ενεργειών" },
  Billing: { en: "Billing", el: "Χρέωση" },
  Helpdesk: { en: "Helpdesk", el: "Υποστήριξη" },
});

/** What each permission allows. */
export const permissionTexts = dictionary({
  "Organization.Read": { en: "See the organization", el: "Προβολή του οργανισμού" },
  "Organization.Update": {
    en: "Change the settings of the organization",
    el: "Αλλαγή των ρυθμίσεων του οργανισμού",
  },
  "Units.Read": { en: "See units", el: "Προβολή μονάδων" },
  "Units.Create": { en: "Create units", el: "Δημιουργία μονάδων" },
  "Units.Update": { en: "Rename and move units", el: "Μετονομασία και μετακίνηση μονάδων" },
  "Units.Delete": { en: "Delete units", el: "Διαγραφή μονάδων" },
  "Roles.Read": { en: "See roles", el: "Προβολή ρόλων" },
  "Roles.Create": { en: "Create roles", el: "Δημιουργία ρόλων" },
  "Roles.Update": { en: "Change roles", el: "Αλλαγή ρόλων" },
  "Roles.Delete": { en: "Delete roles", el: "Διαγραφή ρόλων" },
  "Members.Read": { en: "See members", el: "Προβολή μελών" },
  "Members.UpdateRoles": { en: "Change the roles of members", el: "Αλλαγή των ρόλων των μελών" },
  "Members.UpdateUnits": { en: "Change the units of members", el: "Αλλαγή των μονάδων των μελών" },
  "Members.Delete": { en: "Remove members", el: "Αφαίρεση μελών" },
  "Invitations.Create": { en: "Invite people", el: "Πρόσκληση ατόμων" },
  "Invitations.Read": { en: "See invitations", el: "Προβολή προσκλήσεων" },
  "Invitations.Resend": { en: "Send invitations again", el: "Εκ νέου αποστολή προσκλήσεων" },
  "Invitations.Delete": { en: "Revoke invitations", el: "Ανάκληση προσκλήσεων" },
  "ServiceAccounts.Read": {
    en: "See service accounts and their keys",
    el: "Προβολή λογαριασμών υπηρεσίας και των κλειδιών τους",
  },
  "ServiceAccounts.Create": { en: "Create service accounts", el: "Δημιουργία λογαριασμών υπηρεσίας" },
  "ServiceAccounts.Update": {
    en: "Rename, enable and disable service accounts",
    el: "Μετονομασία, ενεργοποίηση και απενεργοποίηση λογαριασμών υπηρεσίας",
  },
  "ServiceAccounts.UpdateRoles": {
    en: "Change the roles of service accounts",
    el: "Αλλαγή ρόλων λογαριασμών υπηρεσίας",
  },
  "ServiceAccounts.Delete": { en: "Delete service accounts", el: "Διαγραφή λογαριασμών υπηρεσίας" },
  "ApiKeys.Create": {
    en: "Create, change and rotate API keys",
    el: "Δημιουργία, αλλαγή και αντικατάσταση κλειδιών API",
  },
  "ApiKeys.Delete": { en: "Revoke API keys", el: "Ανάκληση κλειδιών API" },
  "SingleSignOn.Read": {
    en: "See domains, connections and the sign-on policy",
    el: "Προβολή τομέων, συνδέσεων και πολιτικής σύνδεσης",
  },
  "SingleSignOn.Update": {
    en: "Change domains, connections and the sign-on policy",
    el: "Αλλαγή τομέων, συνδέσεων και πολιτικής σύνδεσης",
  },
  "SingleSignOn.Bypass": {
    en: "Choose who may act without single sign-on",
    el: "Επιλογή όσων ενεργούν χωρίς ενιαία σύνδεση",
  },
  "ConnectedApps.Read": {
    en: "See the connected apps of members",
    el: "Προβολή των συνδεδεμένων εφαρμογών των μελών",
  },
  "ConnectedApps.Delete": { en: "Disconnect apps of members", el: "Αποσύνδεση εφαρμογών των μελών" },
  "Events.Read": { en: "Read events", el: "Προβολή συμβάντων" },
  "Webhooks.Read": {
    en: "See webhook endpoints and their deliveries",
    el: "Προβολή webhooks και των αποστολών τους",
  },
  "Webhooks.Create": { en: "Create webhook endpoints", el: "Δημιουργία webhooks" },
  "Webhooks.Update": {
    en: "Change webhook endpoints and send deliveries again",
    el: "Αλλαγή webhooks και επανάληψη αποστολών",
  },
  "Webhooks.Delete": { en: "Delete webhook endpoints", el: "Διαγραφή webhooks" },
  "Audit.Read": { en: "Read the audit log", el: "Ανάγνωση του ιστορικού ενεργειών" },
  "Billing.Read": { en: "See the plan and its usage", el: "Προβολή του πακέτου και της χρήσης του" },
  "Billing.Create": { en: "Buy a plan", el: "Αγορά πακέτου" },
  "Billing.Update": { en: "Manage the subscription", el: "Διαχείριση της συνδρομής" },
  "Helpdesk.Read": { en: "See the list of tickets", el: "Προβολή της λίστας αιτημάτων" },
  "Helpdesk.ReadOne": { en: "Open tickets", el: "Άνοιγμα αιτημάτων" },
  "Helpdesk.Reply": { en: "Reply to tickets", el: "Απάντηση σε αιτήματα" },
  "Helpdesk.UpdateStatus": { en: "Change the status of tickets", el: "Αλλαγή της κατάστασης αιτημάτων" },
});
