import { defineError } from "#kit";

export const roleInUse = defineError(
  409,
  "ROLE_IN_USE",
  "The role is still assigned to a member or a service account, used by an invitation, or a default role",
);
