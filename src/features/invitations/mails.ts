import { type MailTemplate, tokenLink } from "#kit";
import { preventAutolinks } from "#kit/inside";

/** The mails of the feature, in every language. Values are inserted unchanged and escaped when rendered. */
export const mails = {
  /** The inviter's name. Missing if the inviter has none, or if an earlier version queued the job. */
  invitation: ({
    token,
    organizationName,
    inviterName,
  }: {
    token: string;
    organizationName: string;
    inviterName?: string | undefined;
  }) => {
    const organization = preventAutolinks(organizationName);
    const inviter = inviterName && preventAutolinks(inviterName);
    return {
      en: {
        subject: `You are invited to ${organization}`,
        paragraphs: [
          inviter
            ? `${inviter} has invited you to join ${organization}.`
            : `You have been invited to join ${organization}.`,
        ],
        action: { label: "Accept the invitation", path: tokenLink("/accept-invitation", token) },
        closing: [
          "The link works once, within seven days. If you do not know the sender, you can ignore this email.",
        ],
      },
      el: {
        subject: `Πρόσκληση στον οργανισμό ${organization}`,
        paragraphs: [
          inviter
            ? `${inviter} σας προσκαλεί να συμμετάσχετε στον οργανισμό ${organization}.`
            : `Έχετε προσκληθεί να συμμετάσχετε στον οργανισμό ${organization}.`,
        ],
        action: { label: "Αποδοχή της πρόσκλησης", path: tokenLink("/accept-invitation", token) },
        closing: [
          "Ο σύνδεσμος λειτουργεί μία φορά, εντός επτά ημερών. Αν δεν γνωρίζετε τον αποστολέα, αγνοήστε αυτό το μήνυμα.",
        ],
      },
    };
  },
} satisfies Record<string, MailTemplate>;
