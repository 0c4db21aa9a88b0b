import { defineError } from "../../platform/errors.ts";

export const slugTaken = defineError(409, "SLUG_TAKEN", "The slug is taken");
