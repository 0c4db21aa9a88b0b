import { dictionary } from "./dictionary.ts";

/** What an app may do by a scope that the console does not know. */
export const generalScopeTexts = dictionary({
  see: { en: "See: {entity}", el: "Προβολή: {entity}" },
  change: { en: "Change: {entity}", el: "Αλλαγή: {entity}" },
});

/** What an app may do by each scope. The scopes of areas are in the areas' own texts. */
export const scopeTexts = dictionary({
  "organization:read": {
    en: "See the organization and its figures",
    el: "Προβολή του οργανισμού και των στοιχείων του",
  },
  "roles:read": { en: "See roles", el: "Προβολή ρόλων" },
  "billing:read": { en: "See the plan and its usage", el: "Προβολή του πακέτου και της χρήσης του" },
  "units:read": { en: "See units", el: "Προβολή μονάδων" },
  "units:write": {
    en: "Create, rename and delete units",
    el: "Δημιουργία, μετονομασία και διαγραφή μονάδων",
  },
  "members:read": {
    en: "See members, their roles and their email addresses",
    el: "Προβολή μελών, των ρόλων και των διευθύνσεων email τους",
  },
  "invitations:read": { en: "See invitations", el: "Προβολή προσκλήσεων" },
  "events:read": { en: "Read events", el: "Ανάγνωση συμβάντων" },
  "audit:read": { en: "Read the audit log", el: "Ανάγνωση του ιστορικού ενεργειών" },
  "helpdesk:read": {
    en: "Read the tickets that you may answer",
    el: "Ανάγνωση των αιτημάτων που μπορείτε να απαντάτε",
  },
  "helpdesk:write": {
    en: "Reply to tickets and change their status",
    el: "Απάντηση σε αιτήματα και αλλαγή της κατάστασής τους",
  },
});
