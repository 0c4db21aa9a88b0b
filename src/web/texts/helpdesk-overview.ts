import { dictionary } from "./dictionary.ts";

export const helpdeskOverviewTexts = dictionary({
  overview: { en: "Overview", el: "Επισκόπηση" },
  about: {
    en: "How many tickets arrive and when, and how soon they are answered.",
    el: "Πόσα αιτήματα έρχονται και πότε, και πόσο γρήγορα απαντώνται.",
  },
  forbidden: {
    en: "You need permission to read tickets to see this page. Ask an administrator.",
    el: "Για αυτή τη σελίδα χρειάζεται δικαίωμα ανάγνωσης αιτημάτων. Ρωτήστε έναν διαχειριστή.",
  },
  unresolved: { en: "Unresolved now", el: "Εκκρεμούν τώρα" },
  firstReply: { en: "First reply, median", el: "Πρώτη απάντηση, διάμεσος" },
  opened: { en: "Opened", el: "Νέα" },
  resolved: { en: "Resolved", el: "Επιλυμένα" },
  byDay: { en: "Tickets by day", el: "Αιτήματα ανά ημέρα" },
  byWeek: { en: "Tickets by week", el: "Αιτήματα ανά εβδομάδα" },
  hours: { en: "When tickets are opened", el: "Πότε έρχονται τα αιτήματα" },
  hoursHint: { en: "Use the arrow keys to read single hours.", el: "Με τα βέλη διαβάζετε κάθε ώρα χωριστά." },
  tickets: { en: "Tickets: {count}", el: "Αιτήματα: {count}" },
  byCategory: { en: "Unresolved by category", el: "Εκκρεμή ανά κατηγορία" },
  byStatus: { en: "All tickets by status", el: "Όλα ανά κατάσταση" },
});
