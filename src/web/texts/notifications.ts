/** Texts of notifications by type. `unknown` is for types that this build does not know. */
export const notificationTexts = {
  WELCOME: { en: "Welcome! Your account is ready.", el: "Καλώς ήρθατε! Ο λογαριασμός σας είναι έτοιμος." },
  NEW_SIGN_IN: {
    en: "Your account was signed in to from a new browser or network: {device}, {ip}.",
    el: "Έγινε σύνδεση στον λογαριασμό σας από νέο πρόγραμμα περιήγησης ή δίκτυο: {device}, {ip}.",
  },
  PASSWORD_CHANGED: { en: "Your password was changed.", el: "Ο κωδικός πρόσβασής σας άλλαξε." },
  PASSWORD_RESET: {
    en: "Your password was reset by email link.",
    el: "Ο κωδικός πρόσβασής σας άλλαξε μέσω συνδέσμου σε email.",
  },
  TWO_FACTOR_ENABLED: {
    en: "Two-factor authentication was turned on.",
    el: "Ο έλεγχος δύο παραγόντων ενεργοποιήθηκε.",
  },
  TWO_FACTOR_DISABLED: {
    en: "Two-factor authentication was turned off.",
    el: "Ο έλεγχος δύο παραγόντων απενεργοποιήθηκε.",
  },
  TWO_FACTOR_DISABLED_BY_ADMIN: {
    en: "An administrator turned off your two-factor authentication.",
    el: "Ένας διαχειριστής απενεργοποίησε τον έλεγχο δύο παραγόντων σας.",
  },
  TWO_FACTOR_RECOVERY_CODE_USED: {
    en: "A recovery code was used. Unused codes left: {remaining}.",
    el: "Χρησιμοποιήθηκε κωδικός ανάκτησης. Αχρησιμοποίητοι που απομένουν: {remaining}.",
  },
  EMAIL_CHANGE_REQUESTED: {
    en: "Your email address is to become {to}. Confirm it by the mailed links.",
    el: "Η διεύθυνση email σας πρόκειται να γίνει {to}. Επιβεβαιώστε το από τους συνδέσμους που σας στείλαμε.",
  },
  EMAIL_CHANGED: { en: "Your email address is now {to}.", el: "Η διεύθυνση email σας είναι πλέον {to}." },
  PASSKEY_BLOCKED: {
    en: "The passkey “{name}” was blocked: a copy of it may have been used.",
    el: "Το κλειδί πρόσβασης «{name}» αποκλείστηκε: ίσως χρησιμοποιήθηκε αντίγραφό του.",
  },
  SIGN_IN_METHOD_ADDED: {
    en: "Sign-in with {provider} was added to your account.",
    el: "Η σύνδεση μέσω {provider} προστέθηκε στον λογαριασμό σας.",
  },
  SIGN_IN_METHOD_REMOVED: {
    en: "Sign-in with {provider} was removed from your account.",
    el: "Η σύνδεση μέσω {provider} αφαιρέθηκε από τον λογαριασμό σας.",
  },
  TEST: { en: "This is a test notification.", el: "Αυτή είναι μια δοκιμαστική ειδοποίηση." },
  INVITATION_ACCEPTED: {
    en: "{email} has accepted your invitation.",
    el: "Η πρόσκλησή σας έγινε δεκτή: {email}.",
  },
  HELPDESK_TICKET_CREATED: { en: "New ticket #{number}: {subject}", el: "Νέο αίτημα #{number}: {subject}" },
  HELPDESK_REPORTER_REPLIED: {
    en: "The reporter replied to ticket #{number}: {subject}",
    el: "Νέα απάντηση από όποιον άνοιξε το αίτημα #{number}: {subject}",
  },
  HELPDESK_STAFF_REPLIED: {
    en: "New reply to your ticket #{number}: {subject}",
    el: "Νέα απάντηση στο αίτημά σας #{number}: {subject}",
  },
  HELPDESK_STATUS_CHANGED: {
    en: "Your ticket #{number} is {status}: {subject}",
    el: "Το αίτημά σας #{number} είναι {status}: {subject}",
  },
  WEBHOOK_ENDPOINT_FAILING: {
    en: "Deliveries to the webhook endpoint at {host} keep failing.",
    el: "Οι αποστολές προς το webhook στο {host} αποτυγχάνουν συνεχώς.",
  },
  WEBHOOK_ENDPOINT_DISABLED: {
    en: "The webhook endpoint at {host} was disabled.",
    el: "Το webhook στο {host} απενεργοποιήθηκε.",
  },
  SIGN_ON_ANNOUNCED: {
    en: "From {day} on you cannot act in the organization as you sign in now.",
    el: "Από τις {day} δεν θα μπορείτε να ενεργείτε στον οργανισμό όπως συνδέεστε τώρα.",
  },
  BREAK_GLASS_USED: {
    en: "{email} acts in the organization without its single sign-on.",
    el: "Το μέλος {email} ενεργεί στον οργανισμό χωρίς την ενιαία σύνδεσή του.",
  },
  BREAK_GLASS_UNUSABLE: {
    en: "A break-glass member has no second factor any more.",
    el: "Ένα μέλος έκτακτης πρόσβασης δεν έχει πια δεύτερο παράγοντα.",
  },
  JOIN_REQUESTED: {
    en: "Requests to join the organization: {count}.",
    el: "Αιτήματα συμμετοχής στον οργανισμό: {count}.",
  },
  CONNECTED_APP_APPROVED: {
    en: "The app {clientName} can now act for you.",
    el: "Η εφαρμογή {clientName} μπορεί πλέον να ενεργεί για εσάς.",
  },
  CONNECTED_APP_TOKEN_REUSED: {
    en: "The app {clientName} was disconnected: a spent token of it was used again.",
    el: "Η εφαρμογή {clientName} αποσυνδέθηκε: έγινε νέα χρήση εξαντλημένου διακριτικού της.",
  },
  CONNECTED_APP_REVOKED: {
    en: "The app {clientName} was disconnected.",
    el: "Η εφαρμογή {clientName} αποσυνδέθηκε.",
  },
  JOIN_APPROVED: {
    en: "Your request to join an organization was approved.",
    el: "Το αίτημα συμμετοχής σας σε οργανισμό εγκρίθηκε.",
  },
  DOMAIN_MISSING: {
    en: "The DNS record of {domain} is missing. Publish it again.",
    el: "Λείπει η εγγραφή DNS του {domain}. Δημοσιεύστε την ξανά.",
  },
  DOMAIN_LAPSED: {
    en: "The domain {domain} has lapsed, because its DNS record is missing.",
    el: "Ο τομέας {domain} έληξε, επειδή λείπει η εγγραφή DNS.",
  },
  CONNECTION_FAILING: { en: "Sign-in with {name} keeps failing.", el: "Η σύνδεση με {name} αποτυγχάνει." },
  CONNECTION_SECRET_EXPIRING: {
    en: "The secret of the connection {name} expires soon.",
    el: "Το μυστικό της σύνδεσης {name} λήγει σύντομα.",
  },
  SIGN_ON_SETUP_FINISHED: {
    en: "{email} has finished the setup of sign-in.",
    el: "Ολοκληρώθηκε η ρύθμιση σύνδεσης από {email}.",
  },
  API_KEY_EXPIRING: {
    en: "The API key “{name}” ({start}…) expires soon.",
    el: "Το κλειδί API «{name}» ({start}…) λήγει σύντομα.",
  },
  API_KEY_REPORTED: {
    en: "The API key “{name}” ({start}…) was reported as leaked and revoked.",
    el: "Το κλειδί API «{name}» ({start}…) αναφέρθηκε ότι διέρρευσε και ανακλήθηκε.",
  },
  ROLES_CHANGED: { en: "Your roles changed.{added}{removed}", el: "Οι ρόλοι σας άλλαξαν.{added}{removed}" },
  added: { en: " New: {roles}.", el: " Νέοι: {roles}." },
  removed: { en: " Removed: {roles}.", el: " Αφαιρέθηκαν: {roles}." },
  inUnit: { en: "{role} in {unit}", el: "{role} ({unit})" },
  passkey: { en: "a passkey", el: "κλειδιού πρόσβασης" },
  password: { en: "a password", el: "κωδικού πρόσβασης" },
  unknownDevice: { en: "unknown device", el: "άγνωστη συσκευή" },
  unknown: { en: "You have a new notification.", el: "Έχετε μια νέα ειδοποίηση." },
  OPEN: { en: "open", el: "ανοιχτό" },
  IN_PROGRESS: { en: "in progress", el: "σε εξέλιξη" },
  RESOLVED: { en: "resolved", el: "επιλυμένο" },
  CLOSED: { en: "closed", el: "κλειστό" },
} as const;
