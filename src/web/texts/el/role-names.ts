export const builtIn = {
  ORG_ADMIN: "Διαχειριστής",
  UNIT_ADMIN: "Διαχειριστής μονάδας",
  MEMBER: "Μέλος",
} as const;
