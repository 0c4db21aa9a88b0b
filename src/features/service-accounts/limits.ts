import { HOUR, often } from "#kit";

export const LIMITS = {
  mails: often("23.8", "mails about API keys", "service account", 1, HOUR, { store: "database" }),
};
