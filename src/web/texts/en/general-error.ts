export const general = {
  failed: "That did not work. Try again.",
} as const;
