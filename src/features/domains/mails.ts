import type { MailTemplate } from "#kit";
import { preventAutolinks } from "#kit/inside";

type AboutDomain = { domain: string; organizationName: string };

const path = "/settings/sign-on";
const dayOf = (time: string) => time.slice(0, 10);

/** The mails of the feature, in every language. Values are inserted unchanged and escaped when rendered. */
export const mails = {
  domainMissing: (about: AboutDomain & { lapsesAt: string }) => {
    const [domain, organization] = [preventAutolinks(about.domain), preventAutolinks(about.organizationName)];
    const day = dayOf(about.lapsesAt);
    return {
      en: {
        subject: `The DNS record of ${domain} is missing`,
        paragraphs: [
          `The record that proves that ${domain} belongs to ${organization} is no longer in DNS.`,
          `Publish it again before ${day}. After that nobody new signs in or joins by this domain.`,
        ],
        action: { label: "See the record", path },
      },
      el: {
        subject: `Λείπει η εγγραφή DNS του ${domain}`,
        paragraphs: [
          `Η εγγραφή που αποδεικνύει ότι ο τομέας ${domain} ανήκει στον οργανισμό ${organization} δεν υπάρχει πια στο DNS.`,
          `Δημοσιεύστε την ξανά πριν από τις ${day}. Μετά, κανένα νέο άτομο δεν θα συνδέεται ούτε θα συμμετέχει μέσω αυτού του τομέα.`,
        ],
        action: { label: "Προβολή της εγγραφής", path },
      },
    };
  },

  domainLapsed: (about: AboutDomain) => {
    const [domain, organization] = [preventAutolinks(about.domain), preventAutolinks(about.organizationName)];
    return {
      en: {
        subject: `The domain ${domain} has lapsed`,
        paragraphs: [
          `The record that proves that ${domain} belongs to ${organization} has been missing for two weeks. Nobody new signs in or joins by this domain.`,
          "Publish the record again, and the domain is verified within a day.",
        ],
        action: { label: "See the record", path },
      },
      el: {
        subject: `Ο τομέας ${domain} έληξε`,
        paragraphs: [
          `Η εγγραφή που αποδεικνύει ότι ο τομέας ${domain} ανήκει στον οργανισμό ${organization} λείπει εδώ και δύο εβδομάδες. Κανένα νέο άτομο δεν συνδέεται ούτε συμμετέχει μέσω αυτού του τομέα.`,
          "Δημοσιεύστε ξανά την εγγραφή και ο τομέας θα επαληθευτεί μέσα σε μία ημέρα.",
        ],
        action: { label: "Προβολή της εγγραφής", path },
      },
    };
  },
} satisfies Record<string, MailTemplate>;
