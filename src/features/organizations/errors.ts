import { defineError } from "#kit";

export const slugTaken = defineError(409, "SLUG_TAKEN", "The slug is taken");
