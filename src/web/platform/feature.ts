import { consoleFeature } from "../lib/features.ts";
import { platformRoutes } from "./routes.ts";

export const platform = consoleFeature({
  routes: platformRoutes,
  menu: [
    {
      to: "/platform/organizations",
      group: "platform",
      icon: "building",
      text: { en: "Organizations", el: "Οργανισμοί" },
    },
    { to: "/platform/users", group: "platform", icon: "people", text: { en: "Users", el: "Χρήστες" } },
    {
      to: "/platform/tickets",
      group: "platform",
      icon: "inbox",
      text: { en: "All tickets", el: "Όλα τα αιτήματα" },
    },
    {
      to: "/platform/apps",
      group: "platform",
      icon: "robot",
      text: { en: "Apps", el: "Εφαρμογές" },
      setting: "oauth",
    },
    {
      to: "/platform/audit",
      group: "platform",
      icon: "list",
      text: { en: "Platform audit log", el: "Ιστορικό πλατφόρμας" },
    },
  ],
});
