export const uiTexts = {
  limitUsed: "Χρήση {used} από {max}.",
  toBilling: "Πακέτο και χρέωση",
  app: "Κονσόλα",
  retry: "Δοκιμάστε πάλι",
  requestId: "Αίτημα {id}",
  cancel: "Άκυρο",
  search: "Αναζήτηση",
  nothing: "Δεν υπάρχει τίποτα ακόμη",
  nothingFound: "Δεν βρέθηκε τίποτα",
  loading: "Φόρτωση",
  close: "Κλείσιμο",
  showPassword: "Εμφάνιση ή απόκρυψη του κωδικού",
} as const;
