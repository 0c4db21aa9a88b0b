import type { MailTemplate } from "#kit";

/** What a mail says about a ticket; it never contains the text of messages. */
type AboutTicket = { ticketId: string; number: number; subject: string };

const STATUS_WORDS = {
  OPEN: { en: "open", el: "ανοιχτό" },
  IN_PROGRESS: { en: "in progress", el: "σε εξέλιξη" },
  RESOLVED: { en: "resolved", el: "επιλυμένο" },
  CLOSED: { en: "closed", el: "κλειστό" },
};

/** The mails of the feature, in every language. Values are inserted unchanged and escaped when rendered. */
export const mails = {
  helpdeskReply: ({ ticketId, number, subject }: AboutTicket) => ({
    en: {
      subject: `New reply to your report #${number}`,
      paragraphs: [`Support replied to your report #${number}, “${subject}”.`],
      action: { label: "Read the reply", path: `/support/tickets/${ticketId}` },
    },
    el: {
      subject: `Νέα απάντηση στο αίτημά σας #${number}`,
      paragraphs: [`Υπάρχει απάντηση στο αίτημά σας #${number}, «${subject}».`],
      action: { label: "Διαβάστε την απάντηση", path: `/support/tickets/${ticketId}` },
    },
  }),

  helpdeskStatus: ({
    ticketId,
    number,
    subject,
    status,
  }: AboutTicket & { status: "OPEN" | "IN_PROGRESS" | "RESOLVED" | "CLOSED" }) => ({
    en: {
      subject: `Your report #${number} is ${STATUS_WORDS[status].en}`,
      paragraphs: [`Your report #${number}, “${subject}”, is now ${STATUS_WORDS[status].en}.`],
      action: { label: "See the report", path: `/support/tickets/${ticketId}` },
    },
    el: {
      subject: `Το αίτημά σας #${number} είναι ${STATUS_WORDS[status].el}`,
      paragraphs: [`Το αίτημά σας #${number}, «${subject}», είναι πλέον ${STATUS_WORDS[status].el}.`],
      action: { label: "Δείτε το αίτημα", path: `/support/tickets/${ticketId}` },
    },
  }),
} satisfies Record<string, MailTemplate>;
