import { dictionary } from "./dictionary.ts";

export const listTexts = dictionary({
  rows: { en: "{from}–{to} of {total}", el: "{from}–{to} από {total}" },
  pages: { en: "Pages", el: "Σελίδες" },
  page: { en: "Page {page}", el: "Σελίδα {page}" },
  previous: { en: "Previous page", el: "Προηγούμενη σελίδα" },
  next: { en: "Next page", el: "Επόμενη σελίδα" },
  sortBy: { en: "Sort by {column}", el: "Ταξινόμηση: {column}" },
  exportRows: { en: "Export", el: "Εξαγωγή" },
  filters: { en: "Filters", el: "Φίλτρα" },
  activeFilters: { en: "Active filters", el: "Ενεργά φίλτρα" },
  removeFilter: { en: "Remove the filter {filter}", el: "Αφαίρεση του φίλτρου {filter}" },
  clearAll: { en: "Clear all", el: "Καθαρισμός όλων" },
  clearFilters: { en: "Clear filters", el: "Καθαρισμός φίλτρων" },
});
