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
      within: "/members",
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
      within: "/webhooks",
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
      setting: "sso",
      within: "/settings",
    },
    {
      to: "/settings/apps",
      group: "organization",
      icon: "robot",
      text: { en: "Connected apps", el: "Συνδεδεμένες εφαρμογές" },
      setting: "oauth",
      within: "/settings",
    },
  ],
});
