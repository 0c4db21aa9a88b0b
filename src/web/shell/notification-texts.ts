import { dictionary } from "../lib/i18n.tsx";

/** What notifications say, by their type; `unknown` for types that this console does not know. */
export const notificationTexts = dictionary(
  {
    WELCOME: "Welcome! Your account is ready.",
    PASSWORD_CHANGED: "Your password was changed.",
    PASSWORD_RESET: "Your password was changed by the link in a mail.",
    TWO_FACTOR_ENABLED: "Two-factor authentication was turned on.",
    TWO_FACTOR_DISABLED: "Two-factor authentication was turned off.",
    TWO_FACTOR_DISABLED_BY_ADMIN: "An administrator turned off your two-factor authentication.",
    TWO_FACTOR_RECOVERY_CODE_USED: (left: string) => `A recovery code was used. Unused codes left: ${left}.`,
    SIGN_IN_METHOD_ADDED: (provider: string) => `Signing in with ${provider} was added to your account.`,
    SIGN_IN_METHOD_REMOVED: (provider: string) =>
      `Signing in with ${provider} was removed from your account.`,
    TEST: "This is a test notification.",
    INVITATION_ACCEPTED: (email: string) => `${email} has accepted your invitation.`,
    HELPDESK_TICKET_CREATED: (number: string, subject: string) => `New ticket #${number}: ${subject}`,
    HELPDESK_REPORTER_REPLIED: (number: string, subject: string) =>
      `The reporter replied to ticket #${number}: ${subject}`,
    HELPDESK_STAFF_REPLIED: (number: string, subject: string) =>
      `Your ticket #${number} was answered: ${subject}`,
    HELPDESK_STATUS_CHANGED: (number: string, subject: string, status: string) =>
      `Your ticket #${number} is ${status}: ${subject}`,
    ROLES_CHANGED: "Your roles changed.",
    added: (roles: string) => `New: ${roles}.`,
    removed: (roles: string) => `Gone: ${roles}.`,
    inUnit: (role: string, unit: string) => `${role} in ${unit}`,
    unknown: "There is news.",
    OPEN: "open",
    IN_PROGRESS: "in progress",
    RESOLVED: "resolved",
    CLOSED: "closed",
  },
  {
    WELCOME: "Καλώς ήρθατε! Ο λογαριασμός σας είναι έτοιμος.",
    PASSWORD_CHANGED: "Ο κωδικός πρόσβασής σας άλλαξε.",
    PASSWORD_RESET: "Ο κωδικός πρόσβασής σας άλλαξε με τον σύνδεσμο ενός email.",
    TWO_FACTOR_ENABLED: "Ο έλεγχος δύο παραγόντων ενεργοποιήθηκε.",
    TWO_FACTOR_DISABLED: "Ο έλεγχος δύο παραγόντων απενεργοποιήθηκε.",
    TWO_FACTOR_DISABLED_BY_ADMIN: "Ένας διαχειριστής απενεργοποίησε τον έλεγχο δύο παραγόντων σας.",
    TWO_FACTOR_RECOVERY_CODE_USED: (left) =>
      `Χρησιμοποιήθηκε κωδικός ανάκτησης. Αχρησιμοποίητοι που απομένουν: ${left}.`,
    SIGN_IN_METHOD_ADDED: (provider) => `Η σύνδεση μέσω ${provider} προστέθηκε στον λογαριασμό σας.`,
    SIGN_IN_METHOD_REMOVED: (provider) => `Η σύνδεση μέσω ${provider} αφαιρέθηκε από τον λογαριασμό σας.`,
    TEST: "Αυτή είναι μια δοκιμαστική ειδοποίηση.",
    INVITATION_ACCEPTED: (email) => `Η πρόσκλησή σας έγινε δεκτή: ${email}.`,
    HELPDESK_TICKET_CREATED: (number, subject) => `Νέο αίτημα #${number}: ${subject}`,
    HELPDESK_REPORTER_REPLIED: (number, subject) =>
      `Απάντηση του αιτούντος στο αίτημα #${number}: ${subject}`,
    HELPDESK_STAFF_REPLIED: (number, subject) => `Το αίτημά σας #${number} απαντήθηκε: ${subject}`,
    HELPDESK_STATUS_CHANGED: (number, subject, status) =>
      `Το αίτημά σας #${number} είναι ${status}: ${subject}`,
    ROLES_CHANGED: "Οι ρόλοι σας άλλαξαν.",
    added: (roles) => `Νέοι: ${roles}.`,
    removed: (roles) => `Αφαιρέθηκαν: ${roles}.`,
    inUnit: (role, unit) => `${role} (${unit})`,
    unknown: "Υπάρχουν νέα.",
    OPEN: "ανοιχτό",
    IN_PROGRESS: "σε εξέλιξη",
    RESOLVED: "επιλυμένο",
    CLOSED: "κλειστό",
  },
);
