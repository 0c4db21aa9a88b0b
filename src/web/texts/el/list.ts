export const listTexts = {
  rows: "{from}–{to} από {total}",
  pages: "Σελίδες",
  page: "Σελίδα {page}",
  previous: "Προηγούμενη σελίδα",
  next: "Επόμενη σελίδα",
  sortBy: "Ταξινόμηση: {column}",
  exportRows: "Εξαγωγή",
  filters: "Φίλτρα",
  activeFilters: "Ενεργά φίλτρα",
  removeFilter: "Αφαίρεση του φίλτρου {filter}",
  clearAll: "Καθαρισμός όλων",
  clearFilters: "Καθαρισμός φίλτρων",
} as const;
