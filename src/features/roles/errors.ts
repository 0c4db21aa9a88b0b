import { defineError } from "../../platform/errors.ts";

export const roleInUse = defineError(
  409,
  "ROLE_IN_USE",
  "The role is still given, a default, or named by an invitation",
);
