import { dictionary } from "./dictionary.ts";

/** Texts of the error pages, in a separate file because they are part of the first load. */
export const errorPageTexts = dictionary({
  notFound: { en: "Page not found", el: "Δεν υπάρχει τέτοια σελίδα" },
  notFoundAbout: {
    en: "The link may be out of date or mistyped.",
    el: "Ο σύνδεσμος ίσως είναι παλιός ή γράφτηκε λάθος.",
  },
  toHome: { en: "Go to the home page", el: "Στην αρχική σελίδα" },
  broken: { en: "This page could not be shown", el: "Η σελίδα δεν ήταν δυνατό να εμφανιστεί" },
  reload: { en: "Reload", el: "Φόρτωση ξανά" },
  offline: {
    en: "You are offline. Try again when the connection is back.",
    el: "Είστε εκτός σύνδεσης. Δοκιμάστε ξανά όταν επανέλθει η σύνδεση.",
  },
  again: { en: "Try again", el: "Δοκιμή ξανά" },
});
