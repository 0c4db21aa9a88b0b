import type { MailTemplate } from "#kit";
import { preventAutolinks } from "#kit/inside";

/** The mails of the feature, in every language. Values are inserted unchanged and escaped when rendered. */
export const mails = {
  joinRequested: (about: { organizationName: string; count: number }) => {
    const organization = preventAutolinks(about.organizationName);
    return {
      en: {
        subject: `People want to join ${organization}`,
        paragraphs: [`Requests to join ${organization} that wait for a decision: ${about.count}.`],
        action: { label: "See the requests", path: "/members/join-requests" },
      },
      el: {
        subject: `Άτομα ζητούν να συμμετάσχουν στον οργανισμό ${organization}`,
        paragraphs: [
          `Αιτήματα συμμετοχής στον οργανισμό ${organization} που περιμένουν απόφαση: ${about.count}.`,
        ],
        action: { label: "Προβολή των αιτημάτων", path: "/members/join-requests" },
      },
    };
  },
  joinApproved: (about: { organizationName: string }) => {
    const organization = preventAutolinks(about.organizationName);
    return {
      en: {
        subject: `You are a member of ${organization} now`,
        paragraphs: [`Your request to join ${organization} was approved.`],
        action: { label: "Open", path: "/" },
      },
      el: {
        subject: `Είστε πλέον μέλος του οργανισμού ${organization}`,
        paragraphs: [`Το αίτημά σας για συμμετοχή στον οργανισμό ${organization} εγκρίθηκε.`],
        action: { label: "Άνοιγμα", path: "/" },
      },
    };
  },
} satisfies Record<string, MailTemplate>;
