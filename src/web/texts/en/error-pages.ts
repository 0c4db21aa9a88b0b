/** Texts of the error pages, in a separate file because they are part of the first load. */
export const errorPageTexts = {
  notFound: "Page not found",
  notFoundAbout: "The link may be out of date or mistyped.",
  toHome: "Go to the home page",
  broken: "This page could not be shown",
  reload: "Reload",
  offline: "You are offline. Try again when the connection is back.",
  again: "Try again",
} as const;
