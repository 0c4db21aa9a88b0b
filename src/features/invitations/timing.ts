/** How long the link of an invitation is valid (rules 14.2). */
export const INVITATION_LIFETIME_DAYS = 7;
