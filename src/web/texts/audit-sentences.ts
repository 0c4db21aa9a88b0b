import { dictionary } from "./dictionary.ts";

/**
 * A sentence for each action. Keys in small letters are variants of a sentence. The placeholders have one order in
 * English: who acted, on what, with which value, and the value before.
 */
export const sentenceTexts = dictionary({
  unknown: { en: "{actor}: {target}", el: "{actor}: {target}" },
  grant: { en: "{target} in {what}", el: "{target} στη μονάδα {what}" },
  via: { en: "{actor} via {target}", el: "{actor} μέσω {target}" },
  ownAccount: { en: "their own account", el: "ο ίδιος λογαριασμός" },
  formerMember: { en: "a former member", el: "πρώην μέλος" },
  anAccount: { en: "a deleted account", el: "άτομο με διαγραμμένο λογαριασμό" },
  organization: { en: "the organization", el: "τον οργανισμό" },
  gone: { en: "a deleted record", el: "διαγραμμένη εγγραφή" },
  nobody: { en: "an unknown account", el: "άγνωστος λογαριασμός" },
  LOGIN_SUCCEEDED: { en: "{actor} signed in", el: "{actor} συνδέθηκε" },
  LOGIN_FAILED: { en: "Sign-in as {actor} failed", el: "{actor}: η σύνδεση απέτυχε" },
  REAUTHENTICATED: { en: "{actor} confirmed their identity", el: "{actor} επιβεβαίωσε την ταυτότητα" },
  REFRESH_TOKEN_REUSED: {
    en: "An old session token of {actor} was used again",
    el: "{actor}: παλιό διακριτικό συνεδρίας χρησιμοποιήθηκε ξανά",
  },
  USER_REGISTERED: { en: "{actor} registered", el: "{actor} εγγράφηκε" },
  EMAIL_VERIFIED: {
    en: "{actor} confirmed their email address",
    el: "{actor} επιβεβαίωσε τη διεύθυνση email",
  },
  PASSWORD_CHANGED: { en: "{actor} changed their password", el: "{actor} άλλαξε τον κωδικό πρόσβασης" },
  PASSWORD_RESET: { en: "{actor} reset their password", el: "{actor} όρισε νέο κωδικό πρόσβασης" },
  TWO_FACTOR_ENABLED: {
    en: "{actor} turned on the second factor of {target}",
    el: "{actor} ενεργοποίησε τον δεύτερο παράγοντα ({target})",
  },
  TWO_FACTOR_DISABLED: {
    en: "{actor} turned off the second factor of {target}",
    el: "{actor} απενεργοποίησε τον δεύτερο παράγοντα ({target})",
  },
  TWO_FACTOR_RECOVERY_CODE_USED: {
    en: "{actor} used a recovery code",
    el: "{actor} χρησιμοποίησε κωδικό ανάκτησης",
  },
  TWO_FACTOR_RECOVERY_CODES_REGENERATED: {
    en: "{actor} made new recovery codes",
    el: "{actor} δημιούργησε νέους κωδικούς ανάκτησης",
  },
  SESSION_REVOKED: { en: "{actor} ended a session", el: "{actor} τερμάτισε μια συνεδρία" },
  sessionOf: { en: "{actor} ended a session of {target}", el: "{actor} τερμάτισε μια συνεδρία ({target})" },
  SIGN_IN_METHOD_ADDED: {
    en: "{actor} added a sign-in method: {target}",
    el: "{actor} πρόσθεσε τρόπο σύνδεσης: {target}",
  },
  SIGN_IN_METHOD_REMOVED: {
    en: "{actor} removed a sign-in method: {target}",
    el: "{actor} αφαίρεσε τρόπο σύνδεσης: {target}",
  },
  EMAIL_CHANGE_REQUESTED: {
    en: "{actor} asked to change their email address to {target}",
    el: "{actor} ζήτησε αλλαγή της διεύθυνσης email σε {target}",
  },
  EMAIL_CHANGE_CANCELED: {
    en: "{actor} canceled the change of their email address to {target}",
    el: "{actor} ακύρωσε την αλλαγή της διεύθυνσης email σε {target}",
  },
  EMAIL_CHANGED: {
    en: "{actor} changed their email address to {target}",
    el: "{actor} άλλαξε τη διεύθυνση email σε {target}",
  },
  EMAIL_CHANGE_UNDONE: {
    en: "{actor} undid the change of their email address to {target}",
    el: "{actor} αναίρεσε την αλλαγή της διεύθυνσης email σε {target}",
  },
  PASSKEY_ADDED: {
    en: "{actor} added the passkey {target}",
    el: "{actor} πρόσθεσε το κλειδί πρόσβασης {target}",
  },
  PASSKEY_REMOVED: {
    en: "{actor} removed the passkey {target}",
    el: "{actor} αφαίρεσε το κλειδί πρόσβασης {target}",
  },
  PASSKEY_BLOCKED: {
    en: "{actor} can no longer use the passkey {target}",
    el: "{actor} δεν μπορεί πια να χρησιμοποιήσει το κλειδί πρόσβασης {target}",
  },
  PLATFORM_ADMIN_GRANTED: {
    en: "{actor} made {target} a platform administrator",
    el: "{actor} όρισε διαχειριστή πλατφόρμας: {target}",
  },
  PLATFORM_ADMIN_REVOKED: {
    en: "{actor} revoked platform administration of {target}",
    el: "{actor} ανακάλεσε ρόλο διαχειριστή πλατφόρμας: {target}",
  },
  PERSONAL_DATA_EXPORTED: {
    en: "{actor} exported their personal data",
    el: "{actor} εξήγαγε τα προσωπικά δεδομένα",
  },
  USER_DELETED: {
    en: "{actor} deleted the account {target}",
    el: "{actor} διέγραψε τον λογαριασμό {target}",
  },
  ORGANIZATION_CREATED: {
    en: "{actor} created the organization {target}",
    el: "{actor} δημιούργησε τον οργανισμό {target}",
  },
  ORGANIZATION_DELETED: {
    en: "{actor} deleted the organization {target}",
    el: "{actor} διέγραψε τον οργανισμό {target}",
  },
  ORGANIZATION_UPDATED: {
    en: "{actor} changed the settings of {target}",
    el: "{actor} άλλαξε τις ρυθμίσεις για {target}",
  },
  ORGANIZATION_STATUS_CHANGED: {
    en: "{actor} set the status of {target} to {what}",
    el: "{actor} άλλαξε την κατάσταση για {target} σε {what}",
  },
  AUDIT_EVENTS_EXPORTED: {
    en: "{actor} exported the audit log",
    el: "{actor} εξήγαγε το ιστορικό ενεργειών",
  },
  ORGANIZATION_PLAN_CHANGED: {
    en: "{actor} changed the plan of {target} to {what}",
    el: "{actor} άλλαξε το πακέτο για {target} σε {what}",
  },
  SUBSCRIPTION_CHANGED: {
    en: "{actor} changed the subscription of {target}",
    el: "{actor} άλλαξε τη συνδρομή για {target}",
  },
  ORGANIZATION_SWITCHED: {
    en: "{actor} began to work in {target}",
    el: "{actor} άρχισε να εργάζεται σε: {target}",
  },
  UNIT_CREATED: { en: "{actor} created the unit {target}", el: "{actor} δημιούργησε τη μονάδα {target}" },
  UNIT_UPDATED: { en: "{actor} changed the unit {target}", el: "{actor} άλλαξε τη μονάδα {target}" },
  UNIT_DELETED: { en: "{actor} deleted the unit {target}", el: "{actor} διέγραψε τη μονάδα {target}" },
  ROLE_CREATED: { en: "{actor} created the role {target}", el: "{actor} δημιούργησε τον ρόλο {target}" },
  ROLE_UPDATED: { en: "{actor} changed the role {target}", el: "{actor} άλλαξε τον ρόλο {target}" },
  ROLE_DELETED: { en: "{actor} deleted the role {target}", el: "{actor} διέγραψε τον ρόλο {target}" },
  MEMBER_ROLES_CHANGED: {
    en: "{actor} changed the roles of {target}",
    el: "{actor} άλλαξε τους ρόλους για {target}",
  },
  rolesAdded: { en: "{actor} gave {target} {what}", el: "{actor} έδωσε ρόλο σε {target}: {what}" },
  rolesRemoved: {
    en: "{actor} changed the roles of {target}: removed {what}",
    el: "{actor} αφαίρεσε ρόλο από {target}: {what}",
  },
  rolesReplaced: {
    en: "{actor} changed the roles of {target}: added {what}, removed {before}",
    el: "{actor} άλλαξε τους ρόλους για {target}: νέοι {what}, αφαιρέθηκαν {before}",
  },
  MEMBER_UNITS_CHANGED: {
    en: "{actor} changed the units of {target}",
    el: "{actor} άλλαξε τις μονάδες για {target}",
  },
  unitsAdded: { en: "{actor} added {target} to {what}", el: "{actor} πρόσθεσε {target} στη μονάδα {what}" },
  unitsRemoved: {
    en: "{actor} removed {target} from {what}",
    el: "{actor} αφαίρεσε {target} από τη μονάδα {what}",
  },
  unitsReplaced: {
    en: "{actor} added {target} to {what}, and removed them from {before}",
    el: "{actor} άλλαξε τις μονάδες για {target}: νέες {what}, αφαιρέθηκαν {before}",
  },
  MEMBER_REMOVED: {
    en: "{actor} removed {target} from the organization",
    el: "{actor} αφαίρεσε {target} από τον οργανισμό",
  },
  MEMBER_LEFT: { en: "{actor} left the organization", el: "{actor} αποχώρησε από τον οργανισμό" },
  USER_INVITED: { en: "{actor} invited {target}", el: "{actor} προσκάλεσε {target}" },
  invitedAs: { en: "{actor} invited {target} as {what}", el: "{actor} προσκάλεσε {target} ως {what}" },
  USER_INVITATION_RESENT: {
    en: "{actor} sent the invitation of {target} again",
    el: "{actor} έστειλε ξανά την πρόσκληση για {target}",
  },
  USER_INVITATION_REVOKED: {
    en: "{actor} revoked the invitation of {target}",
    el: "{actor} ανακάλεσε την πρόσκληση για {target}",
  },
  USER_INVITATION_ACCEPTED: { en: "{actor} accepted the invitation", el: "{actor} αποδέχτηκε την πρόσκληση" },
  joinedAs: { en: "{actor} joined as {target}", el: "{actor} έγινε μέλος ως {target}" },
  SERVICE_ACCOUNT_CREATED: {
    en: "{actor} created the service account {target}",
    el: "{actor} δημιούργησε τον λογαριασμό υπηρεσίας {target}",
  },
  SERVICE_ACCOUNT_UPDATED: {
    en: "{actor} changed the service account {target}",
    el: "{actor} άλλαξε τον λογαριασμό υπηρεσίας {target}",
  },
  SERVICE_ACCOUNT_ROLES_CHANGED: {
    en: "{actor} changed the roles of the service account {target}",
    el: "{actor} άλλαξε τους ρόλους του λογαριασμού υπηρεσίας {target}",
  },
  SERVICE_ACCOUNT_DELETED: {
    en: "{actor} deleted the service account {target}",
    el: "{actor} διέγραψε τον λογαριασμό υπηρεσίας {target}",
  },
  API_KEY_CREATED: {
    en: "{actor} created the API key {target}",
    el: "{actor} δημιούργησε το κλειδί API {target}",
  },
  API_KEY_UPDATED: {
    en: "{actor} changed the API key {target}",
    el: "{actor} άλλαξε το κλειδί API {target}",
  },
  API_KEY_ROTATED: {
    en: "{actor} replaced the API key {target}",
    el: "{actor} αντικατέστησε το κλειδί API {target}",
  },
  API_KEY_REVOKED: {
    en: "{actor} revoked the API key {target}",
    el: "{actor} ανακάλεσε το κλειδί API {target}",
  },
  API_KEY_REFUSED: {
    en: "{actor} refused the API key {target}",
    el: "{actor} απέρριψε το κλειδί API {target}",
  },
  WEBHOOK_ENDPOINT_CREATED: {
    en: "{actor} added the webhook endpoint {target}",
    el: "{actor} πρόσθεσε τον παραλήπτη webhook {target}",
  },
  WEBHOOK_ENDPOINT_UPDATED: {
    en: "{actor} changed the webhook endpoint {target}",
    el: "{actor} άλλαξε τον παραλήπτη webhook {target}",
  },
  WEBHOOK_ENDPOINT_DELETED: {
    en: "{actor} deleted the webhook endpoint {target}",
    el: "{actor} διέγραψε τον παραλήπτη webhook {target}",
  },
  WEBHOOK_ENDPOINT_DISABLED: {
    en: "{actor} turned off the webhook endpoint {target}",
    el: "{actor} απενεργοποίησε τον παραλήπτη webhook {target}",
  },
  WEBHOOK_SECRET_ROTATED: {
    en: "{actor} replaced the secret of the webhook endpoint {target}",
    el: "{actor} αντικατέστησε το μυστικό του παραλήπτη webhook {target}",
  },
  SIGN_ON_POLICY_CHANGED: {
    en: "{actor} changed the sign-on policy",
    el: "{actor} άλλαξε την πολιτική σύνδεσης",
  },
  BREAK_GLASS_USED: {
    en: "{actor} acted without single sign-on",
    el: "{actor} ενήργησε χωρίς ενιαία σύνδεση",
  },
  USER_JOINED: { en: "{actor}: {target} joined", el: "{actor}: ο χρήστης {target} έγινε μέλος" },
  JOIN_REQUESTED: { en: "{actor} asked to join", el: "{actor} ζήτησε να συμμετάσχει" },
  CONNECTED_APP_APPROVED: {
    en: "{actor} connected the app {name}",
    el: "{actor} συνέδεσε την εφαρμογή {name}",
  },
  CONNECTED_APP_REVOKED: {
    en: "{actor} disconnected the app {name}",
    el: "{actor} αποσύνδεσε την εφαρμογή {name}",
  },
  CONNECTED_APP_TOKEN_REUSED: {
    en: "A spent token of the app {name} was used again; the app was disconnected",
    el: "Έγινε νέα χρήση εξαντλημένου διακριτικού της εφαρμογής {name}· η εφαρμογή αποσυνδέθηκε",
  },
  APPROVED_APP_ADDED: { en: "{actor} approved the app {app}", el: "{actor} ενέκρινε την εφαρμογή {app}" },
  APPROVED_APP_REMOVED: {
    en: "{actor} removed the approval of the app {app}",
    el: "{actor} αφαίρεσε την έγκριση της εφαρμογής {app}",
  },
  OAUTH_CLIENT_CREATED: {
    en: "{actor} registered the app {name}",
    el: "{actor} καταχώρισε την εφαρμογή {name}",
  },
  OAUTH_CLIENT_UPDATED: {
    en: "{actor} changed a registered app",
    el: "{actor} άλλαξε καταχωρισμένη εφαρμογή",
  },
  OAUTH_CLIENT_DELETED: {
    en: "{actor} deleted the registered app {name}",
    el: "{actor} διέγραψε την καταχωρισμένη εφαρμογή {name}",
  },
  OAUTH_CLIENT_SECRET_ROTATED: {
    en: "{actor} replaced the secret of a registered app",
    el: "{actor} αντικατέστησε το μυστικό καταχωρισμένης εφαρμογής",
  },
  JOIN_REQUEST_DENIED: { en: "{actor} denied a request to join", el: "{actor} απέρριψε αίτημα συμμετοχής" },
  DOMAIN_ADDED: { en: "{actor} added the domain {target}", el: "{actor} πρόσθεσε τον τομέα {target}" },
  DOMAIN_VERIFIED: {
    en: "{actor} verified the domain {target}",
    el: "{actor} επαλήθευσε τον τομέα {target}",
  },
  DOMAIN_LAPSED: {
    en: "The domain {target} lapsed, because its record is missing",
    el: "Ο τομέας {target} έληξε, επειδή λείπει η εγγραφή του",
  },
  DOMAIN_UPDATED: { en: "{actor} changed the domain {target}", el: "{actor} άλλαξε τον τομέα {target}" },
  DOMAIN_REMOVED: { en: "{actor} removed the domain {target}", el: "{actor} αφαίρεσε τον τομέα {target}" },
  USER_PROVISIONED: {
    en: "{actor} joined by signing in through the organization",
    el: "{actor} έγινε μέλος με σύνδεση μέσω του οργανισμού",
  },
  SSO_SIGN_IN_FAILED: {
    en: "A sign-in by the connection {target} failed",
    el: "Μια σύνδεση μέσω του παρόχου {target} απέτυχε",
  },
  CONNECTION_CREATED: {
    en: "{actor} added the connection {target}",
    el: "{actor} πρόσθεσε τη σύνδεση {target}",
  },
  CONNECTION_UPDATED: {
    en: "{actor} changed the connection {target}",
    el: "{actor} άλλαξε τη σύνδεση {target}",
  },
  CONNECTION_DELETED: {
    en: "{actor} deleted the connection {target}",
    el: "{actor} διέγραψε τη σύνδεση {target}",
  },
  SIGN_ON_MAPPING_CREATED: {
    en: "{actor} mapped the group {group} to the role {roleName}",
    el: "{actor} αντιστοίχισε την ομάδα {group} στον ρόλο {roleName}",
  },
  SIGN_ON_MAPPING_DELETED: {
    en: "{actor} deleted the mapping of the group {group} to the role {roleName}",
    el: "{actor} διέγραψε την αντιστοίχιση της ομάδας {group} στον ρόλο {roleName}",
  },
  SSO_IDENTITY_REMOVED: {
    en: "{actor} unlinked {target} from a connection",
    el: "{actor} αφαίρεσε τη σύνδεση του ατόμου {target}",
  },
  SETUP_LINK_CREATED: {
    en: "{actor} sent a setup link to {target}",
    el: "{actor} έστειλε σύνδεσμο ρύθμισης στο {target}",
  },
  SETUP_LINK_FINISHED: {
    en: "The sign-on setup by the link to {target} was finished",
    el: "Ολοκληρώθηκε η ρύθμιση σύνδεσης με τον σύνδεσμο του {target}",
  },
  SETUP_LINK_REVOKED: {
    en: "{actor} revoked the setup link to {target}",
    el: "{actor} ανακάλεσε τον σύνδεσμο ρύθμισης του {target}",
  },
  HELPDESK_TICKET_STATUS_CHANGED: {
    en: "{actor} set ticket {target} to {what}",
    el: "{actor} άλλαξε το αίτημα {target} σε {what}",
  },
  HELPDESK_TICKET_DELETED: {
    en: "{actor} deleted ticket {target}",
    el: "{actor} διέγραψε το αίτημα {target}",
  },
});
