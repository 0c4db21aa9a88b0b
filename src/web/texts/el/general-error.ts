export const general = {
  failed: "Δεν πέτυχε. Δοκιμάστε ξανά.",
} as const;
