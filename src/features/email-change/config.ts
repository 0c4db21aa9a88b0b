import { z } from "zod";
import { configSection, integer } from "#kit";

type EmailChangeConfig = {
  /** Whether a change of email must also be confirmed from the old address (rules 35.3). */
  emailChangeNeedsOld: boolean;
  /** For how many hours a link to the old address can undo a completed change; 0 means that there is no such link. */
  emailChangeUndoHours: number;
};

declare module "../../core/config.ts" {
  interface Config extends EmailChangeConfig {}
}

const MAX_HOURS = 720;

/** The configuration of email changes. */
export const emailChangeConfig = configSection({
  variables: {
    EMAIL_CHANGE_CONFIRMATION: z.enum(["both", "new"]).default("both"),
    EMAIL_CHANGE_UNDO_HOURS: integer(0, MAX_HOURS).default(72),
  },
  read: (env): EmailChangeConfig => ({
    emailChangeNeedsOld: env.EMAIL_CHANGE_CONFIRMATION === "both",
    emailChangeUndoHours: env.EMAIL_CHANGE_UNDO_HOURS,
  }),
});
