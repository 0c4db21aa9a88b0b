import { HOUR, MINUTE, often } from "#kit";
import { windowsOf } from "#kit/inside";

const DATABASE = { store: "database" } as const;
const MAILS = "mails to verify the email or, counted separately, to reset the password";

export const LIMITS = {
  mailsInAMinute: often("4.8", MAILS, "account", 1, MINUTE, DATABASE),
  mailsInAnHour: often("4.8", MAILS, "account", 5, HOUR, DATABASE),
};

/** The parameters of the queries that check these limits. */
export const MAIL_WINDOWS = windowsOf([LIMITS.mailsInAMinute, LIMITS.mailsInAnHour]);
