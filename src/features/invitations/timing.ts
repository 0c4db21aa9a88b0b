/** How long the link of an invitation works (rules 14.2). */
export const INVITATION_LIFETIME_DAYS = 7;
/** How long an invitation must wait before it is sent again. */
export const RESEND_AFTER_SECONDS = 60;
