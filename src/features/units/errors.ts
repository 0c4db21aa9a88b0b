import { defineError } from "#kit";

export const unitNotEmpty = defineError(
  409,
  "UNIT_NOT_EMPTY",
  "The unit still has sub-units, members, invitations or service accounts",
);

export const unitCycle = defineError(409, "UNIT_CYCLE", "A unit cannot be moved below itself");
