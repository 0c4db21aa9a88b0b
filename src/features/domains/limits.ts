import { HOUR, often } from "#kit";

export const LIMITS = {
  checks: often("39.5", "checks of domains", "organization", 10, HOUR),
};
