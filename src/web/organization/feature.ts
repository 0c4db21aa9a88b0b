import { consoleFeature } from "../lib/features.ts";
import { organizationRoutes } from "./routes.ts";

export const organization = consoleFeature({
  routes: organizationRoutes,
  menu: [
    {
      to: "/members",
      also: "/invitations",
      group: "people",
      icon: "people",
      text: { en: "Members", el: "Μέλη" },
    },
    {
      to: "/invitations",
      group: "people",
      icon: "mail",
      text: { en: "Invitations", el: "Προσκλήσεις" },
      // For users who may see members, the invitations are a tab of the page of members instead of an item here.
      isVisible: (client) => !client.can("Members.Read"),
    },
    { to: "/units", group: "people", icon: "units", text: { en: "Units", el: "Μονάδες" } },
    { to: "/roles", group: "people", icon: "key", text: { en: "Roles", el: "Ρόλοι" } },
    {
      to: "/service-accounts",
      group: "people",
      icon: "robot",
      text: { en: "Service accounts", el: "Λογαριασμοί υπηρεσίας" },
    },
    {
      to: "/webhooks",
      also: "/events",
      group: "people",
      icon: "webhook",
      text: { en: "Webhooks", el: "Webhooks" },
    },
    {
      to: "/events",
      group: "people",
      icon: "webhook",
      text: { en: "Events", el: "Συμβάντα" },
      // For users who may see webhooks, the events are a tab of the page of webhooks instead of an item here.
      isVisible: (client) => !client.can("Webhooks.Read"),
    },
    {
      to: "/organization",
      group: "organization",
      icon: "building",
      text: { en: "Organization", el: "Οργανισμός" },
    },
    {
      to: "/billing",
      group: "organization",
      icon: "card",
      text: { en: "Usage & billing", el: "Χρήση και χρέωση" },
    },
    {
      to: "/audit",
      group: "organization",
      icon: "list",
      text: { en: "Audit log", el: "Ιστορικό ενεργειών" },
    },
    { to: "/settings", group: "organization", icon: "settings", text: { en: "Settings", el: "Ρυθμίσεις" } },
    {
      to: "/settings/sign-on",
      group: "organization",
      icon: "shield",
      text: { en: "Single sign-on", el: "Ενιαία σύνδεση" },
      // For users who may change the organization, the page of settings has a link instead.
      isVisible: (client) => !client.can("Organization.Update"),
    },
    {
      to: "/settings/apps",
      group: "organization",
      icon: "robot",
      text: { en: "Connected apps", el: "Συνδεδεμένες εφαρμογές" },
      setting: "oauth",
      isVisible: (client) => !client.can("Organization.Update"),
    },
  ],
});
