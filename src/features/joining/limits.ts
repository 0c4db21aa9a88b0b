import { DAY, often } from "#kit";

export const LIMITS = {
  joins: often("40.4", "joins of organizations by domain", "user", 10, DAY),
};
