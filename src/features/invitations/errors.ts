import { defineError } from "#kit";

export const resentTooRecently = defineError(400, "RESENT_TOO_RECENTLY", "Resent too recently");

export const invitationEmailMismatch = defineError(
  403,
  "INVITATION_EMAIL_MISMATCH",
  "The invitation is for another email address",
);

export const alreadyMember = defineError(409, "ALREADY_MEMBER", "Already a member of this organization");
