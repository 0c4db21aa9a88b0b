export const general = {
  failed: "That did not work. Try again.",
  unreachable: "The service cannot be reached. Check your connection and try again.",
} as const;
