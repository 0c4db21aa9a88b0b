import { dictionary } from "./dictionary.ts";

export const uiTexts = dictionary({
  limitUsed: { en: "{used} of {max} used.", el: "Χρήση {used} από {max}." },
  toBilling: { en: "Plan and billing", el: "Πακέτο και χρέωση" },
  app: { en: "Console", el: "Κονσόλα" },
  retry: { en: "Try again", el: "Δοκιμάστε πάλι" },
  requestId: { en: "Request {id}", el: "Αίτημα {id}" },
  save: { en: "Save", el: "Αποθήκευση" },
  cancel: { en: "Cancel", el: "Άκυρο" },
  search: { en: "Search", el: "Αναζήτηση" },
  nothing: { en: "Nothing here yet", el: "Δεν υπάρχει τίποτα ακόμη" },
  nothingFound: { en: "Nothing found", el: "Δεν βρέθηκε τίποτα" },
  loading: { en: "Loading", el: "Φόρτωση" },
  close: { en: "Close", el: "Κλείσιμο" },
  copy: { en: "Copy", el: "Αντιγραφή" },
  copied: { en: "Copied", el: "Αντιγράφηκε" },
  showPassword: { en: "Show or hide what is entered", el: "Εμφάνιση ή απόκρυψη του περιεχομένου" },
});
