export const listTexts = {
  rows: "{from}–{to} of {total}",
  pages: "Pages",
  page: "Page {page}",
  previous: "Previous page",
  next: "Next page",
  sortBy: "Sort by {column}",
  exportRows: "Export",
  filters: "Filters",
  activeFilters: "Active filters",
  removeFilter: "Remove the filter {filter}",
  clearAll: "Clear all",
  clearFilters: "Clear filters",
} as const;
