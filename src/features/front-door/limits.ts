import { DAY, often } from "#kit";

export const LIMITS = {
  alertsInADay: often("32.6", "alerts of new sign-ins", "account", 3, DAY, { store: "database" }),
};
