export const uiTexts = {
  limitUsed: "{used} of {max} used.",
  toBilling: "Plan and billing",
  app: "Console",
  retry: "Try again",
  requestId: "Request {id}",
  cancel: "Cancel",
  search: "Search",
  nothing: "Nothing here yet",
  nothingFound: "Nothing found",
  loading: "Loading",
  close: "Close",
  showPassword: "Show or hide the password",
} as const;
