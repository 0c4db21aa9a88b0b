import type { MailTemplate } from "#kit";
import type { Device } from "./device.ts";

/** Returns the words for a device. Its parts are fixed names, never text of the header. */
const words = ({ browser, system }: Device, unknown: string, joint: string): string =>
  [browser ?? unknown, system].filter((part) => part !== null).join(joint);

/** The mails of the feature, in every language. Values are inserted unchanged and escaped when rendered. */
export const mails = {
  newSignIn: ({ ip, ...device }: Device & { ip: string }) => ({
    en: {
      subject: "New sign-in to your account",
      paragraphs: [
        `Your account was just signed in to from a browser or network that it has not used in the last 90 days: ${words(device, "unknown browser", " on ")}, address ${ip}.`,
        "If that was you, there is nothing to do. If not, end all other sessions in your profile and choose a new password.",
      ],
      action: { label: "Open your profile", path: "/profile" },
    },
    el: {
      subject: "Νέα σύνδεση στον λογαριασμό σας",
      paragraphs: [
        `Μόλις έγινε σύνδεση στον λογαριασμό σας από πρόγραμμα περιήγησης ή δίκτυο που δεν έχει χρησιμοποιηθεί τις τελευταίες 90 ημέρες: ${words(device, "άγνωστο πρόγραμμα", " σε ")}, διεύθυνση ${ip}.`,
        "Αν ήσασταν εσείς, δεν χρειάζεται να κάνετε κάτι. Αν όχι, τερματίστε όλες τις άλλες συνεδρίες στο προφίλ σας και επιλέξτε νέο κωδικό πρόσβασης.",
      ],
      action: { label: "Άνοιγμα του προφίλ σας", path: "/profile" },
    },
  }),
} satisfies Record<string, MailTemplate>;
