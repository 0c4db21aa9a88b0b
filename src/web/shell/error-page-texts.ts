import { dictionary } from "../lib/i18n.tsx";

/** Texts of the pages for errors, apart because they are in the first load. */
export const errorPageTexts = dictionary(
  {
    notFound: "There is no such page",
    notFoundAbout: "The link may be old, or mistyped.",
    toHome: "To the home page",
    broken: "This page could not be shown",
    reload: "Reload",
  },
  {
    notFound: "Δεν υπάρχει τέτοια σελίδα",
    notFoundAbout: "Ο σύνδεσμος ίσως είναι παλιός ή γράφτηκε λάθος.",
    toHome: "Στην αρχική σελίδα",
    broken: "Η σελίδα δεν μπόρεσε να εμφανιστεί",
    reload: "Φόρτωση ξανά",
  },
);
