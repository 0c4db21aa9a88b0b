import { dictionary } from "./dictionary.ts";

/** Texts of errors that are part of the first load. */
export const generalErrors = {
  failed: { en: "That did not work. Try again.", el: "Δεν πέτυχε. Δοκιμάστε ξανά." },
  unreachable: {
    en: "The service cannot be reached. Check your connection and try again.",
    el: "Η υπηρεσία δεν είναι προσβάσιμη. Ελέγξτε τη σύνδεσή σας και δοκιμάστε πάλι.",
  },
} as const;

export const general = dictionary(generalErrors);
