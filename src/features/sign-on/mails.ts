import { type MailTemplate, tokenLink } from "#kit";
import { preventAutolinks } from "#kit/inside";

const path = "/settings/sign-on";
const dayOf = (time: string) => time.slice(0, 10);

type AboutConnection = { name: string; organizationName: string };

/** The mails of the feature, in every language. Values are inserted unchanged and escaped when rendered. */
export const mails = {
  signOnSetup: (about: { token: string; organizationName: string }) => {
    const organization = preventAutolinks(about.organizationName);
    const link = tokenLink("/sign-on-setup", about.token);
    return {
      en: {
        subject: `Set up sign-in for ${organization}`,
        paragraphs: [
          `${organization} asks you to set up how its people sign in: the records of its domains, the connection to its identity provider, or both.`,
        ],
        action: { label: "Start the setup", path: link },
        closing: [
          "The link works for seven days, or until you finish. Everybody who has it can change the setup: do not forward it. If you do not know the sender, you can ignore this email.",
        ],
      },
      el: {
        subject: `Ρύθμιση σύνδεσης για τον οργανισμό ${organization}`,
        paragraphs: [
          `Ο οργανισμός ${organization} σας ζητά να ρυθμίσετε τον τρόπο σύνδεσης των μελών του: τις εγγραφές των τομέων του, τη σύνδεση με τον πάροχο ταυτότητας ή και τα δύο.`,
        ],
        action: { label: "Έναρξη της ρύθμισης", path: link },
        closing: [
          "Ο σύνδεσμος λειτουργεί επτά ημέρες ή μέχρι να ολοκληρώσετε. Όποιος τον έχει μπορεί να αλλάξει τη ρύθμιση: μην τον προωθήσετε. Αν δεν γνωρίζετε τον αποστολέα, αγνοήστε αυτό το μήνυμα.",
        ],
      },
    };
  },

  signOnSetupFinished: (about: { email: string; organizationName: string }) => {
    const [email, organization] = [preventAutolinks(about.email), preventAutolinks(about.organizationName)];
    return {
      en: {
        subject: `The sign-in setup for ${organization} is finished`,
        paragraphs: [
          `${email} has finished the setup of sign-in for ${organization}. Check it and enable the connection.`,
        ],
        action: { label: "See the setup", path },
      },
      el: {
        subject: `Η ρύθμιση σύνδεσης του οργανισμού ${organization} ολοκληρώθηκε`,
        paragraphs: [
          `${email}: ολοκλήρωσε τη ρύθμιση σύνδεσης του οργανισμού ${organization}. Ελέγξτε την και ενεργοποιήστε τη σύνδεση.`,
        ],
        action: { label: "Προβολή της ρύθμισης", path },
      },
    };
  },

  connectionFailing: (about: AboutConnection) => {
    const [name, organization] = [preventAutolinks(about.name), preventAutolinks(about.organizationName)];
    return {
      en: {
        subject: `Sign-in with ${name} keeps failing`,
        paragraphs: [
          `Nobody has signed in to ${organization} with the connection ${name} for an hour, because its provider fails or refuses the client. Its secret may have expired.`,
        ],
        action: { label: "See the connection", path },
      },
      el: {
        subject: `Η σύνδεση με ${name} αποτυγχάνει`,
        paragraphs: [
          `Κανείς δεν έχει συνδεθεί στον οργανισμό ${organization} με τη σύνδεση ${name} εδώ και μία ώρα, επειδή ο πάροχός της αποτυγχάνει ή απορρίπτει την εφαρμογή. Ίσως έληξε το μυστικό της.`,
        ],
        action: { label: "Προβολή της σύνδεσης", path },
      },
    };
  },

  connectionSecretExpiring: (about: AboutConnection & { expiresAt: string }) => {
    const [name, organization] = [preventAutolinks(about.name), preventAutolinks(about.organizationName)];
    const day = dayOf(about.expiresAt);
    return {
      en: {
        subject: `The secret of ${name} expires on ${day}`,
        paragraphs: [
          `The client secret of the connection ${name} of ${organization} expires on ${day}. Create a new one at the provider and enter it before then: afterwards nobody signs in with this connection.`,
        ],
        action: { label: "See the connection", path },
      },
      el: {
        subject: `Το μυστικό της σύνδεσης ${name} λήγει στις ${day}`,
        paragraphs: [
          `Το μυστικό της σύνδεσης ${name} του οργανισμού ${organization} λήγει στις ${day}. Δημιουργήστε νέο στον πάροχο και καταχωρίστε το πριν από τότε: μετά κανείς δεν θα συνδέεται με αυτή τη σύνδεση.`,
        ],
        action: { label: "Προβολή της σύνδεσης", path },
      },
    };
  },
} satisfies Record<string, MailTemplate>;
