import { atOnce, DAY, HOUR, MINUTE, often } from "#kit";

/** How long the link of an invitation is valid (rules 14.2). */
export const INVITATION_LIFETIME_DAYS = 7;

const DATABASE = { store: "database" } as const;
const MAILS = "invitation mails";

/** Mails of platform administrators are counted, but not limited. Mails of superseded and revoked invitations count. */
export const LIMITS = {
  mailsOfOrganization: often("23.7", MAILS, "organization", 200, HOUR, DATABASE),
  mailsToAddress: often("23.7", MAILS, "organization and email", 10, HOUR, DATABASE),
  mailsToAddressOverall: often("23.7", `${MAILS}; further ones wait`, "email", 20, DAY, DATABASE),
  resends: often("14.5", "resends of an invitation", "invitation", 1, MINUTE, DATABASE),
  bulks: often("14.18", "requests that invite many, dry runs included", "organization", 10, MINUTE),

  waitingMails: atOnce(
    "23.7",
    `${MAILS} that wait, over all instances`,
    { organization: { max: 2_000 } },
    DATABASE,
  ),
};
